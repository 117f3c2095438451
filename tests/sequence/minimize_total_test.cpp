// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/convex_of.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/sequence/minimize_total.hpp>
#include <stagecut/testing/check_axioms.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "total_oracle.hpp"

using oracle::generator;
using oracle::points_of;
using stagecut::convex_of;
using stagecut::minimize_total;
using stagecut::per_stage;
using stagecut::prefix_sums;

namespace {

struct tally {
  int feasible = 0;
  int infeasible = 0;
};

/// Compares an answer with enumeration: integers and their cut points exactly, doubles up to rounding.
template <class Answer, class Expected>
void compare(const Answer& answer, const Expected& expected, tally& seen) {
  REQUIRE(answer.has_value() == expected.has_value());
  if (!expected) {
    ++seen.infeasible;
    REQUIRE(answer.why().what == stagecut::reason::cause::constraint);
    return;
  }
  ++seen.feasible;
  REQUIRE(answer.state() == stagecut::state::optimal);
  REQUIRE(answer->bound == answer->value);
  if constexpr (std::is_floating_point_v<decltype(answer->value)>) {
    REQUIRE(answer->value == doctest::Approx(expected->second).epsilon(1e-12));
    REQUIRE(answer->value >= expected->second * (1 - 1e-12));
  } else {
    REQUIRE(answer->value == expected->second);
    REQUIRE(points_of(answer->cuts) == expected->first);
  }
}

template <class Model>
void compare(const Model& cost, std::size_t k, tally& seen) {
  compare(minimize_total(cost, k), oracle::least_total(cost, k, oracle::all_allowed, stagecut::cost_t<Model>{}), seen);
}

template <class Model, class Constraint>
void compare(const Model& cost, std::size_t k, const Constraint& allowed, tally& seen) {
  compare(minimize_total(cost, k, allowed), oracle::least_total(cost, k, allowed, stagecut::cost_t<Model>{}), seen);
}

template <class Model>
void compare_free(const Model& cost, stagecut::cost_t<Model> extra, tally& seen) {
  compare(minimize_total(cost, per_stage{extra}), oracle::least_total(cost, 0, oracle::all_allowed, extra), seen);
}

std::size_t some_stages(generator& random, std::size_t n) { return 1 + random() % n; }

}  // namespace

TEST_CASE("a chain cut by the squares of its stages") {
  const prefix_sums work{3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0};
  const auto best = minimize_total(convex_of(work, [](double x) { return x * x; }), 3);
  REQUIRE(best);
  CHECK(best->cuts == stagecut::cuts{0, 4, 6, 8});  // 9, 14, 8
  CHECK(best->value == 341);
  CHECK(best->bound == 341);
}

TEST_CASE_TEMPLATE("convex functions of sums equal enumeration", T, std::int64_t, double) {
  generator random(1);
  tally seen;
  for (int round = 0; round < 7000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = some_stages(random, n);
    const prefix_sums work(oracle::random_items<T>(random, n));
    const T target = static_cast<T>(random() % 30);
    compare(convex_of(work, [](T x) { return x * x; }), k, seen);
    compare(convex_of(work, [target](T x) { return x < target ? target - x : x - target; }), k, seen);
    compare(convex_of(work, [target](T x) { return x < target ? target : x; }), k, seen);
    compare(work, k, seen);
  }
  CHECK(seen.feasible == 28'000);
}

TEST_CASE("doubles of all kinds equal enumeration but for rounding") {
  generator random(2);
  tally seen;
  for (int round = 0; round < 6000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = some_stages(random, n);
    std::vector<double> items(n);
    for (double& item : items) item = std::pow(static_cast<double>(random() % 1000) / 1000, 1 + 7 * (round % 2));
    const prefix_sums work(items);
    const double mean = work(0, n) / static_cast<double>(k);
    compare(convex_of(work, [](double x) { return x * x; }), k, seen);
    compare(convex_of(work, [](double x) { return std::exp(3 * x); }), k, seen);
    compare(convex_of(work, [mean](double x) { return std::fabs(x - mean); }), k, seen);
    compare(convex_of(work, [](double x) { return 1 / (0.01 + x); }), k, seen);
  }
  CHECK(seen.feasible == 24'000);
}

TEST_CASE("Monge, inverse Monge and arbitrary costs equal enumeration, cut points included") {
  generator random(3);
  tally seen;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t n = 1 + random() % 9;
    const std::size_t k = some_stages(random, n);
    oracle::interval_table<stagecut::monge> bulging(n);
    fill(random, bulging, 0, 1);
    compare(bulging, k, seen);
    oracle::interval_table<stagecut::inverse_monge> hollow(n);
    fill(random, hollow, 0, -1);
    compare(hollow, k, seen);
    compare(oracle::different_labels(random, n), k, seen);
    oracle::interval_table<stagecut::stage_invariant> any(n);
    fill(random, any, 0, 0);
    compare(any, k, seen);
    if (round % 100 == 0) {
      REQUIRE(stagecut::testing::check_axioms(bulging));
      REQUIRE(stagecut::testing::check_axioms(hollow));
      REQUIRE(stagecut::testing::check_axioms(oracle::different_labels(random, n)));
    }
  }
  CHECK(seen.feasible == 80'000);
}

TEST_CASE("costs that depend on the stage equal enumeration, cut points included") {
  generator random(4);
  tally seen;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = some_stages(random, n);
    oracle::staged_table<stagecut::monge> bulging(n, k);
    oracle::staged_table<stagecut::inverse_monge> hollow(n, k);
    oracle::staged_table<stagecut::axiom<0>{}> any(n, k);
    for (std::size_t s = 0; s < k; ++s) {
      fill(random, bulging, s, 1);
      fill(random, hollow, s, -1);
      fill(random, any, s, 0);
    }
    compare(bulging, k, seen);
    compare(hollow, k, seen);
    compare(any, k, seen);
  }
  CHECK(seen.feasible == 60'000);
}

TEST_CASE("constrained costs equal enumeration, cut points included") {
  generator random(5);
  tally seen;
  for (int round = 0; round < 10'000; ++round) {
    const std::size_t n = 1 + random() % 9;
    const std::size_t k = some_stages(random, n);
    const arbitrary some(random, n, k, 20 + 20 * static_cast<unsigned>(random() % 5));
    const oracle::capped_constraint capped(random, n, k);
    oracle::interval_table<stagecut::monge> bulging(n);
    fill(random, bulging, 0, 1);
    compare(bulging, k, some, seen);
    compare(bulging, k, capped, seen);
    oracle::staged_table<stagecut::axiom<0>{}> any(n, k);
    for (std::size_t s = 0; s < k; ++s) fill(random, any, s, 0);
    compare(any, k, some, seen);
    compare(any, k, capped, seen);
    compare(oracle::different_labels(random, n), k, capped, seen);
  }
  CHECK(seen.feasible > 20'000);
  CHECK(seen.infeasible > 5000);
}

TEST_CASE("any number of stages equals enumeration, cut points included") {
  generator random(6);
  tally seen;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t n = 1 + random() % 8;
    const auto extra = static_cast<std::int64_t>(random() % 12) - 4;
    oracle::interval_table<stagecut::monge> bulging(n);
    fill(random, bulging, 0, 1);
    compare_free(bulging, extra, seen);
    oracle::interval_table<stagecut::inverse_monge> hollow(n);
    fill(random, hollow, 0, -1);
    compare_free(hollow, extra, seen);
    oracle::interval_table<stagecut::axiom<0>{}> any(n);
    fill(random, any, 0, 0);
    compare_free(any, extra, seen);
    compare_free(any, 0, seen);
    REQUIRE(minimize_total(any)->cuts == minimize_total(any, per_stage{0})->cuts);
    const oracle::even_cap cap{oracle::capped_constraint(random, n, 1)};
    compare(minimize_total(any, per_stage{extra}, cap), oracle::least_total(any, 0, cap, extra), seen);
  }
  CHECK(seen.feasible > 80'000);
  CHECK(seen.infeasible > 3000);
}

TEST_CASE("what a Monge total must be: convex in k; the same of a mirrored chain; scaled with the items") {
  generator random(7);
  const auto square = [](double x) { return x * x; };
  std::size_t checks = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 3 + random() % 60;
    std::vector<std::int64_t> items = oracle::random_items<std::int64_t>(random, n);
    const std::vector<std::int64_t> mirrored(items.rbegin(), items.rend());
    const auto integers = [](std::int64_t x) { return x * x; };
    std::vector<std::int64_t> least;
    for (std::size_t k = 1; k <= n; ++k) {
      least.push_back(minimize_total(convex_of(prefix_sums(items), integers), k)->value);
      REQUIRE(minimize_total(convex_of(prefix_sums(mirrored), integers), k)->value == least.back());
      if (k >= 3) REQUIRE(least[k - 3] - least[k - 2] >= least[k - 2] - least[k - 1]);
      ++checks;
    }
    std::vector<double> reals(n);
    for (double& each : reals) each = static_cast<double>(random() % 1000) / 1000;
    std::vector<double> larger(reals);
    for (double& each : larger) each = std::ldexp(each, 40);
    const std::size_t k = some_stages(random, n);
    const auto one = minimize_total(convex_of(prefix_sums(reals), square), k);
    const auto other = minimize_total(convex_of(prefix_sums(larger), square), k);
    REQUIRE(one->cuts == other->cuts);
    REQUIRE(std::ldexp(one->value, 80) == other->value);
  }
  CHECK(checks > 1000);
}

TEST_CASE("the documented numbers of calls hold") {
  generator random(8);
  const std::size_t n = 4000;
  const auto square = [](std::int64_t x) { return x * x; };
  const convex_of squares(prefix_sums(oracle::random_items<std::int64_t>(random, n)), square);
  const double chain = static_cast<double>(n) * std::log2(static_cast<double>(n));
  stagecut::testing::counted monge(squares);
  (void)minimize_total(monge, 3);
  CHECK(static_cast<double>(monge.calls()) <= 3 * chain + 3 * 3 * n);
  for (const std::size_t k : {40U, 400U, 3000U}) {
    monge.reset();
    (void)minimize_total(monge, k);
    CHECK(static_cast<double>(monge.calls()) <= 40 * 2 * chain);
  }
  monge.reset();
  (void)minimize_total(monge, per_stage{1000});
  CHECK(static_cast<double>(monge.calls()) <= 4 * chain);

  const auto root = [](std::size_t i, std::size_t j) { return std::sqrt(static_cast<double>(j - i)); };
  stagecut::testing::counted hollow(stagecut::inverse_monge(n, root));
  (void)minimize_total(hollow, 4);
  CHECK(static_cast<double>(hollow.calls()) <= 4 * chain * std::log2(static_cast<double>(n)));
  hollow.reset();
  (void)minimize_total(hollow, per_stage{1.0});
  CHECK(static_cast<double>(hollow.calls()) <= chain * std::log2(static_cast<double>(n)));

  const stagecut::testing::counted any(stagecut::stage_invariant(100, root));
  (void)minimize_total(any, 5);
  CHECK(any.calls() <= 5 * 100 * 101 / 2 + 5);
}

TEST_CASE("liars get valid cuts in the end") {
  generator random(9);
  std::size_t answers = 0;
  const auto ends = [&](const auto& cost, std::size_t n, std::size_t k) {
    const auto best = minimize_total(cost, k);
    REQUIRE(oracle::valid(points_of(best->cuts), n, k));
    const auto any = minimize_total(cost, per_stage<stagecut::cost_t<std::remove_cvref_t<decltype(cost)>>>{});
    REQUIRE(oracle::valid(points_of(any->cuts), n, any->cuts.stages()));
    ++answers;
  };
  constexpr double odd[] = {0,
                            1,
                            -1,
                            1e308,
                            -1e308,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  for (int round = 0; round < 1500; ++round) {
    const std::size_t n = 1 + random() % 60;
    const std::size_t k = some_stages(random, n);
    oracle::interval_table<stagecut::monge, double> bulging(n);
    oracle::interval_table<stagecut::inverse_monge, double> hollow(n);
    for (double& cost : bulging.costs) cost = round % 3 == 0 ? odd[random() % 8] : odd[random() % 5];
    hollow.costs = bulging.costs;
    ends(bulging, n, k);
    ends(hollow, n, k);
    oracle::interval_table<stagecut::monge> integers(n);
    for (auto& cost : integers.costs) cost = static_cast<std::int64_t>(random()) / 1000;
    ends(integers, n, k);
    const prefix_sums work(std::vector<double>(n, 1));
    ends(convex_of(work, [&](double x) { return odd[static_cast<std::size_t>(x * 1e6) % 8]; }), n, k);
    ends(convex_of(work, [](double x) { return -x * x; }), n, k);
  }
  for (const std::size_t n : {500U, 900U}) {
    const auto noise = [](std::size_t i, std::size_t j) {
      return static_cast<std::int64_t>((i * 0x9e3779b97f4a7c15U ^ j * 0xbf58476d1ce4e5b9U) >> 2U);
    };
    const auto nan = [](std::size_t, std::size_t) { return std::numeric_limits<double>::quiet_NaN(); };
    for (const std::size_t k : {2U, 30U, 400U}) {
      const auto best = minimize_total(stagecut::monge(n, nan), k);
      REQUIRE(oracle::valid(points_of(best->cuts), n, k));
      try {
        const auto noisy = minimize_total(stagecut::monge(n, noise), k);
        REQUIRE(oracle::valid(points_of(noisy->cuts), n, k));
      } catch (const stagecut::invalid_input&) {  // the total is too large
      }
    }
  }
  CHECK(answers == 7500);
}

TEST_CASE("what cannot be done is told") {
  const prefix_sums work{1, 2, 3};
  CHECK_THROWS_AS((void)minimize_total(work, 0), stagecut::argument_error);
  CHECK_THROWS_AS((void)minimize_total(work, 0, oracle::all_allowed), stagecut::argument_error);
  CHECK(minimize_total(work, 4).why() == stagecut::reason{stagecut::reason::cause::more_stages_than_layers, 4, 3});
  CHECK(minimize_total(prefix_sums<double>()).why() ==
        stagecut::reason{stagecut::reason::cause::more_stages_than_layers, 1, 0});
  const auto never = [](std::size_t, std::size_t, std::size_t) { return false; };
  CHECK(minimize_total(work, 2, never).why().what == stagecut::reason::cause::constraint);

  const prefix_sums times{1.0, 2.0};  // no price of stages that is none
  for (const double each : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS((void)minimize_total(times, per_stage{each}), stagecut::argument_error);
    CHECK_THROWS_AS((void)minimize_total(times, per_stage{-each}, stagecut::at_most(times, 3.0)), stagecut::argument_error);
  }
  CHECK_THROWS_WITH((void)minimize_total(times, per_stage{std::numeric_limits<float>::infinity()}),
                    "stagecut::minimize_total: per_stage.cost = inf, must be finite");

  const prefix_sums<unsigned> units({1U, 1U});  // an extra cost may be below zero, where the costs may not
  CHECK(minimize_total(units, per_stage{-1})->value == 0);
  CHECK_THROWS_AS((void)minimize_total(units, per_stage{-2}), stagecut::invalid_input);

  const auto large = stagecut::monge(3, [](std::size_t, std::size_t) { return std::int8_t{100}; });
  CHECK(minimize_total(large, 1)->value == 100);
  CHECK_THROWS_AS((void)minimize_total(large, 2), stagecut::invalid_input);
}

TEST_CASE("costs near the ends of 64 bits are added up exactly") {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  std::size_t checked = 0;
  for (std::size_t k = 1; k <= 60; ++k) {
    // All of one stage at an end: only pairs of stages at the two ends of the chain fit.
    const auto cost = stagecut::monge(60, [=](std::size_t i, std::size_t j) {
      return i == 0 && j == 60 ? most : i == 0 ? least : j == 60 ? most : std::int64_t{-1};
    });
    const auto best = minimize_total(cost, k);
    REQUIRE(oracle::valid(points_of(best->cuts), 60, k));
    REQUIRE(best->value == (k == 1 ? most : -1 - static_cast<std::int64_t>(k - 2)));
    ++checked;
  }
  CHECK(checked == 60);
}
