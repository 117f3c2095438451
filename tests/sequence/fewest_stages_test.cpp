// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/at_least_one.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/sequence/fewest_stages.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "enumeration.hpp"
#include "random_models.hpp"

using models::rank;
using stagecut::empty_stages;
using stagecut::fewest_stages;
using stagecut::prefix_sums;

namespace {

constexpr int instances = 20'000;

/// By enumeration: the first number of stages for which there is a cut, with the first of its cuts.
template <class Model, class Cost, class Allowed>
oracle::valued<std::size_t> fewest(const Model& cost, const Cost& most, const Allowed& allowed) {
  const auto may = [&](std::size_t stage, std::size_t first, std::size_t last) {
    return cost(first, last) <= most && allowed(stage, first, last);
  };
  for (std::size_t k = 1; k <= cost.size(); ++k) {
    const auto best = oracle::best_cut(cost.size(), k, empty_stages::forbidden, may, [](const auto&) { return 0; });
    if (best) return std::pair(best->first, k);
  }
  return std::nullopt;
}

/// Whether an answer is the expected one, or has a true explanation; whether there is one.
template <class Model, class Cost, class Allowed>
bool compare(const Model& cost, const Cost& most, const Allowed& allowed) {
  const auto answer = fewest_stages(cost, most, allowed);
  if (oracle::agree(answer, fewest(cost, most, allowed))) return true;
  REQUIRE(answer.why().what == stagecut::reason::cause::constraint);
  const std::string before = "no stage that begins with item ";
  REQUIRE(answer.why().place.substr(0, before.size()) == before);
  const std::size_t item = std::stoul(answer.why().place.substr(before.size()));
  REQUIRE(item < cost.size());
  // Nothing is reached from there on; from all behind it the end is.
  for (std::size_t from = item; from < cost.size(); ++from) {
    bool reaches = false;
    for (std::size_t k = 1; k <= cost.size() - from && !reaches; ++k) {
      oracle::for_each_cut(
          cost.size() - from, k, empty_stages::forbidden,
          [&](std::size_t s, std::size_t i, std::size_t j) {
            return cost(from + i, from + j) <= most && allowed(s, from + i, from + j);
          },
          [&](const auto&) { reaches = true; });
    }
    REQUIRE(reaches == (from > item));
  }
  return false;
}

template <class Cost, auto... Promised>
int tables(std::uint64_t seed) {
  models::generator random(seed);
  int found = 0;
  for (int i = 0; i < instances; ++i) {
    const std::size_t n = 1 + random() % 8;
    const auto cost = models::random_table<Cost, false, Promised...>(random, n, 1);
    const auto most = models::as_cost<Cost>(static_cast<std::int64_t>(random() % 20) - 2);
    switch (i % 3) {
      case 0: found += compare(cost, most, stagecut::detail::no_constraint()) ? 1 : 0; break;
      case 1:
        found += compare(cost, most, models::random_permits<stagecut::stage_invariant>(random, n, 1)) ? 1 : 0;
        break;
      default:
        found +=
            compare(cost, most, models::random_permits<stagecut::stage_invariant, stagecut::hereditary>(random, n, 1))
                ? 1
                : 0;
    }
  }
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE("monotone costs equal enumeration", T, std::int64_t, double, rank) {
  CHECK(tables<T, stagecut::monotone>(1) > instances / 3);
  CHECK(tables<T, stagecut::right_monotone>(2) > instances / 3);
}
TEST_CASE_TEMPLATE("costs that do not grow to the right equal enumeration", T, std::int64_t, double, rank) {
  CHECK(tables<T>(3) > instances / 3);
  CHECK(tables<T, stagecut::left_monotone>(4) > instances / 3);
}

TEST_CASE("constraints of the library") {
  models::generator random(5);
  int found = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::size_t n = 2 + random() % 7;
    const prefix_sums cost(models::random_items<std::int64_t>(random, n));
    const prefix_sums bytes(models::random_items<double>(random, n));
    std::vector<bool> kinds(n);
    for (std::size_t j = 0; j < n; ++j) kinds[j] = random() % 2 == 0;
    const stagecut::forbidden_cuts forbidden(n, {1 + random() % (n - 1)});
    const stagecut::at_most cap(bytes, 0.1 * static_cast<double>(random() % 90));
    const auto most = static_cast<std::int64_t>(random() % 40);
    found += compare(cost, most, forbidden) ? 1 : 0;
    found += compare(cost, most, stagecut::at_least_one(kinds)) ? 1 : 0;
    found += compare(cost, most, stagecut::all_of(forbidden, cap)) ? 1 : 0;
  }
  CHECK(found > 5000);
}

TEST_CASE("it turns minimize_bottleneck round: as many stages as needed, and one fewer costs more") {
  models::generator random(6);
  int checked = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random() % 300;
    const prefix_sums cost(models::random_items<double>(random, n));
    const std::size_t k = 1 + random() % n;
    const double most = stagecut::minimize_bottleneck(cost, k)->value;
    const auto best = fewest_stages(cost, most);
    REQUIRE(best->value <= k);
    REQUIRE(best->cuts.stages() == best->value);
    REQUIRE(stagecut::minimize_bottleneck(cost, best->value)->value <= most);
    if (best->value > 1) REQUIRE(stagecut::minimize_bottleneck(cost, best->value - 1)->value > most);
    ++checked;
  }
  CHECK(checked == 200);
}

TEST_CASE("more room never needs more stages; scaled and mirrored it is the same") {
  models::generator random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 40;
    auto items = models::random_items<std::int64_t>(random, n);
    const prefix_sums cost(items);
    std::size_t before = n + 1;
    for (std::int64_t most = 0; most < 100; most += 7) {
      const auto best = fewest_stages(cost, most);
      REQUIRE((best || before == n + 1));
      if (!best) continue;
      REQUIRE(best->value <= before);
      before = best->value;
      std::vector<std::int64_t> twice(items);
      for (auto& each : twice) each *= 8;
      REQUIRE(*fewest_stages(prefix_sums(twice), most * 8) == *best);
      const std::vector<std::int64_t> mirrored(items.rbegin(), items.rend());
      REQUIRE(fewest_stages(prefix_sums(mirrored), most)->value == best->value);
    }
  }
  CHECK(fewest_stages(prefix_sums{1, 2, 3}, 3)->cuts == stagecut::cuts{0, 2, 3});
}

TEST_CASE("the documented numbers of calls hold") {
  for (const std::size_t n : {50U, 400U}) {
    for (const std::size_t w : {1U, 7U, 30U}) {
      const stagecut::testing::counted cost(prefix_sums(std::vector<int>(n, 1)));
      CHECK(fewest_stages(cost, static_cast<std::int64_t>(w))->value == (n + w - 1) / w);
      CHECK(cost.calls() <= n * (w + 1));
      const auto plain = [&](std::size_t i, std::size_t j) { return j - i; };
      const stagecut::testing::counted any(stagecut::axiom<0>()(n, plain));
      CHECK(fewest_stages(any, w)->value == (n + w - 1) / w);
      CHECK(any.calls() == n * (n + 1) / 2);
    }
  }
}

TEST_CASE("what cannot be done is told") {
  CHECK(fewest_stages(prefix_sums<double>(), 1.0).why().text() == "no cut keeps to the constraint: there is no item");
  const auto none = fewest_stages(prefix_sums{1, 5, 1}, 4);
  CHECK(none.state() == stagecut::state::infeasible);
  CHECK(none.why().text() ==
        "no cut keeps to the constraint: no stage that begins with item 1 is allowed and leads on to the end");
  CHECK_THROWS_WITH_AS((void)fewest_stages(prefix_sums{1.0}, std::numeric_limits<double>::quiet_NaN()),
                       "stagecut::fewest_stages: most = NaN, must be a number", stagecut::argument_error);
  CHECK(fewest_stages(prefix_sums{1.0, 2.0}, std::numeric_limits<double>::infinity())->value == 1);
}

TEST_CASE("the least that costs can be is enough") {
  namespace testing = stagecut::testing;
  using ordered = testing::ordered_archetype;
  CHECK(fewest_stages(testing::monotone_archetype(7), ordered(3))->cuts == stagecut::cuts{0, 1, 4, 7});
  CHECK(fewest_stages(testing::right_monotone_archetype(7), ordered(3)));
  CHECK(fewest_stages(testing::left_monotone_archetype(7), ordered(5)));
  CHECK(fewest_stages(testing::additive_archetype(4), 7)->value == 3);
}

TEST_CASE("liars get valid cuts in the end") {
  models::generator random(8);
  int answers = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::size_t n = 1 + random() % 12;
    const models::noise source{random(), random() % 2 == 0, random() % 2 == 0 ? 0U : 5U};
    const auto check = [&](const auto& best) {
      if (!best) return;
      REQUIRE(best->cuts.items() == n);
      REQUIRE(best->cuts.stages() == best->value);
      ++answers;
    };
    const models::lying_permits<stagecut::stage_invariant, stagecut::hereditary> heirs{source, 90};
    check(fewest_stages(models::liar<double, false, stagecut::monotone>{n, source}, 20.0));
    check(fewest_stages(models::liar<double, false, stagecut::monotone>{n, source}, 20.0, heirs));
    check(fewest_stages(models::liar<rank, false>{n, source}, rank{20}, heirs));
  }
  CHECK(answers > 3000);
}
