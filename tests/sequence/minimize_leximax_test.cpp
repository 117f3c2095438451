// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/at_least_one.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_objective.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "enumeration.hpp"
#include "random_models.hpp"

using models::rank;
using stagecut::empty_stages;
using stagecut::minimize_bottleneck;
using stagecut::minimize_leximax;
using stagecut::minimize_objective;
using stagecut::prefix_sums;

namespace {

constexpr int instances = 20'000;

template <class Model, class Allowed>
bool compare(const Model& cost, std::size_t k, const Allowed& allowed) {
  return oracle::agree(minimize_leximax(cost, k, allowed),
                       oracle::best_cut_of(cost, k, empty_stages::forbidden, allowed, oracle::descending));
}

template <class Model>
bool compare_any(models::generator& random, const Model& cost, std::size_t k) {
  switch (random() % 3) {
    case 0:
      return oracle::agree(minimize_leximax(cost, k),
                           oracle::best_cut_of(cost, k, empty_stages::forbidden, oracle::anything, oracle::descending));
    case 1: return compare(cost, k, models::random_permits(random, cost.size(), k));
    default: return compare(cost, k, models::random_permits<stagecut::hereditary>(random, cost.size(), k));
  }
}

template <class Cost, bool Staged, auto... Promised>
int tables(std::uint64_t seed) {
  models::generator random(seed);
  int found = 0;
  for (int i = 0; i < instances; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    found += compare_any(random, models::random_table<Cost, Staged, Promised...>(random, n, k), k) ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_CASE("not only the costliest stage is as cheap as it can be") {
  const prefix_sums cost{9, 1, 1, 1, 1, 1, 1};
  CHECK(minimize_bottleneck(cost, 3)->cuts == stagecut::cuts{0, 1, 2, 7});
  const auto best = minimize_leximax(cost, 3);
  CHECK(best->cuts == stagecut::cuts{0, 1, 4, 7});
  CHECK(best->value == std::vector<std::int64_t>{9, 3, 3});
  CHECK(best->bound == best->value);
}

TEST_CASE("a constraint need not be one that can be copied") {
  const auto allowed = [kept = std::make_unique<std::size_t>(3)](std::size_t, std::size_t first, std::size_t last) {
    return last - first <= *kept;
  };
  CHECK(minimize_leximax(prefix_sums{9, 1, 1, 1, 1, 1, 1}, 3, allowed)->cuts == stagecut::cuts{0, 1, 4, 7});
}

TEST_CASE_TEMPLATE("monotone costs equal enumeration", T, std::int64_t, double, rank) {
  CHECK(tables<T, false, stagecut::monotone>(1) > instances / 2);
  CHECK(tables<T, true, stagecut::monotone>(2) > instances / 2);
}
TEST_CASE_TEMPLATE("costs without promises, or that grow to one side, equal enumeration", T, std::int64_t, double,
                   rank) {
  CHECK(tables<T, false>(3) > instances / 2);
  CHECK(tables<T, true>(4) > instances / 2);
  CHECK(tables<T, true, stagecut::right_monotone>(5) > instances / 2);
  CHECK(tables<T, false, stagecut::left_monotone>(6) > instances / 2);
}
TEST_CASE("sums, speeds and messages equal enumeration") {
  models::generator random(7);
  int found = 0;
  for (int i = 0; i < instances; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    const prefix_sums sums(models::random_items<double>(random, n));
    const auto speeds = models::random_speeds(random, k);
    const auto times = models::random_times(random, n, k);
    found += compare_any(random, sums, k) ? 1 : 0;
    found += compare_any(random, stagecut::at_speeds(sums, speeds), k) ? 1 : 0;
    found += compare_any(random, stagecut::added_cuts(sums, times, speeds), k) ? 1 : 0;
    found += compare_any(random, stagecut::overlapped_cuts(sums, times), k) ? 1 : 0;
  }
  CHECK(found > 2 * instances);
}

TEST_CASE("longer chains: as the dynamic program over all cuts, and the bottleneck is the least") {
  models::generator random(8);
  int checked = 0;
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = 20 + random() % 80;
    const std::size_t k = 2 + random() % 8;
    const prefix_sums sums(models::random_items<std::int64_t>(random, n));
    const stagecut::at_speeds staged(sums, models::random_speeds(random, k));
    const auto permits = models::random_permits(random, n, k);
    const auto check = [&](const auto& best, const auto& all, const auto& bottleneck) {
      REQUIRE(best.has_value() == all.has_value());
      if (!best) return;
      REQUIRE(*best == *all);
      REQUIRE(best->value[0] == bottleneck->value);
      ++checked;
    };
    check(minimize_leximax(sums, k), minimize_objective(sums, k, stagecut::leximax()), minimize_bottleneck(sums, k));
    check(minimize_leximax(staged, k), minimize_objective(staged, k, stagecut::leximax()),
          minimize_bottleneck(staged, k));
    check(minimize_leximax(sums, k, permits), minimize_objective(sums, k, stagecut::leximax(), permits),
          minimize_bottleneck(sums, k, permits));
  }
  CHECK(checked >= 2 * 40);
}

TEST_CASE("scaled by a power of two, mirrored, and with less allowed") {
  models::generator random(9);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random() % 30;
    const std::size_t k = 1 + random() % std::min<std::size_t>(n, 6);
    auto items = models::random_items<double>(random, n);
    const auto best = minimize_leximax(prefix_sums(items), k);
    const auto less = minimize_leximax(prefix_sums(items), k, models::random_permits(random, n, k));
    if (less) REQUIRE(!(less->value < best->value));
    for (double& item : items) item *= 0x1p-30;
    const auto scaled = minimize_leximax(prefix_sums(items), k);
    REQUIRE(scaled->cuts == best->cuts);
    for (std::size_t s = 0; s < k; ++s) REQUIRE(scaled->value[s] == best->value[s] * 0x1p-30);
    auto integers = models::random_items<std::int64_t>(random, n);
    const auto value = minimize_leximax(prefix_sums(integers), k)->value;
    std::reverse(integers.begin(), integers.end());
    REQUIRE(minimize_leximax(prefix_sums(integers), k)->value == value);
  }
  CHECK(minimize_leximax(prefix_sums{1.0, 2.0}, 2)->value == std::vector<double>{2, 1});
}

TEST_CASE("of a monotone cost few intervals are asked for") {
  models::generator random(10);
  for (const std::size_t n : {200U, 2000U}) {
    for (const std::size_t k : {4U, 16U}) {
      std::vector<double> items(n);
      for (double& item : items) item = 1 + static_cast<double>(random() % 1000) / 1000;
      const stagecut::testing::counted cost{prefix_sums(items)};
      const auto best = minimize_leximax(cost, k);
      CHECK(best->value.size() == k);
      CHECK(cost.calls() < 40 * k * 100);  // O(k m w), m and w a handful, where k n² would be 160,000 to 64,000,000
    }
  }
}

TEST_CASE("what cannot be done is told") {
  const prefix_sums cost{1, 2, 3};
  CHECK_THROWS_WITH_AS((void)minimize_leximax(cost, 0), "stagecut::minimize_leximax: stages = 0, must be at least 1",
                       stagecut::argument_error);
  CHECK(minimize_leximax(cost, 4).why() == stagecut::reason{stagecut::reason::cause::more_stages_than_layers, 4, 3});
  const auto none = minimize_leximax(cost, 3, stagecut::at_least_one(std::vector<bool>{true, false, true}));
  CHECK(none.state() == stagecut::state::infeasible);
  CHECK(none.why().place == "3 stages need 3 items of the kind, and there are 2");
}

TEST_CASE("a limit leaves the best cut for the costliest stage, and that as the bound") {
  models::generator random(12);
  const prefix_sums cost(models::random_items<double>(random, 60));
  const auto first = minimize_bottleneck(cost, 9);
  const auto best = minimize_leximax(cost, 9);
  REQUIRE(best.state() == stagecut::state::optimal);
  int left = 0;  // calls until it stops
  const auto stop = [&] { return left-- == 0; };
  stagecut::search_options limits;
  limits.stop = stop;
  int proved = 0;
  for (int after = 0; after < 40; ++after) {
    left = after;
    const auto found = minimize_leximax(cost, 9, limits);
    if (found.state() == stagecut::state::optimal) {
      REQUIRE(*found == *best);
      ++proved;
      continue;
    }
    REQUIRE(proved == 0);
    REQUIRE(found.state() == stagecut::state::feasible);
    REQUIRE(found->cuts == first->cuts);
    REQUIRE(found->bound == std::vector<double>{first->value});
    REQUIRE(!(found->value < best->value));
    REQUIRE(!(best->value < found->bound));
  }
  CHECK(proved > 0);
  CHECK(proved < 40);

  limits = {};
  limits.time_limit = 0;
  CHECK(minimize_leximax(cost, 9, limits).state() == stagecut::state::feasible);
  const auto permits = models::random_permits(random, 60, 9);
  if (minimize_bottleneck(cost, 9, permits)) {
    CHECK(minimize_leximax(cost, 9, permits, limits).state() == stagecut::state::feasible);
  }
  const auto any_order = models::random_table<double, false>(random, 20, 1);
  CHECK(minimize_leximax(any_order, 4, limits).state() == stagecut::state::feasible);
  CHECK(minimize_leximax(cost, 61, limits).state() == stagecut::state::infeasible);
}

TEST_CASE("the least that costs can be is enough") {
  namespace testing = stagecut::testing;
  CHECK(minimize_leximax(testing::monotone_archetype(7), 3)->cuts == stagecut::cuts{0, 2, 4, 7});
  CHECK(minimize_leximax(testing::right_monotone_archetype(7), 3));
  CHECK(minimize_leximax(testing::left_monotone_archetype(7), 3));
  CHECK(minimize_leximax(testing::separable_archetype(7), 3));
  CHECK(minimize_leximax(testing::additive_archetype(7), 3));
  CHECK(minimize_leximax(testing::staged_archetype<stagecut::axioms<stagecut::monotone>>(7), 3));
}

TEST_CASE("liars get valid cuts in the end, even if they return no number") {
  models::generator random(11);
  int answers = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::size_t n = 1 + random() % 12;
    const std::size_t k = 1 + random() % n;
    const models::noise source{random(), random() % 2 == 0, random() % 2 == 0 ? 0U : 3U};
    const auto check = [&](const auto& cost, const auto& allowed) {
      const auto best = minimize_leximax(cost, k, allowed);
      if (!best) return;
      REQUIRE(best->cuts.items() == n);
      REQUIRE(best->cuts.stages() == k);
      ++answers;
    };
    const models::lying_permits<> permits{source, 70};
    const models::lying_permits<stagecut::hereditary> heirs{source, 80};
    check(models::liar<double, false, stagecut::monotone>{n, source}, permits);
    check(models::liar<double, true, stagecut::monotone>{n, source}, heirs);
    check(models::liar<double, true, stagecut::left_monotone>{n, source}, heirs);
    check(models::liar<double, true, stagecut::separable>{n, source}, stagecut::detail::no_constraint());
    check(models::liar<rank, true, stagecut::right_monotone>{n, source}, permits);
    check(models::overlapped_liar{{n, source}}, heirs);
  }
  CHECK(answers > 4000);
}

TEST_CASE("a cost that is NaN gets a cut, against its promise to be ordered") {
  const auto none =
      stagecut::monotone(4, [](std::size_t, std::size_t) { return std::numeric_limits<double>::quiet_NaN(); });
  const auto best = minimize_leximax(none, 2);
  REQUIRE(best);
  CHECK(best.state() == stagecut::state::feasible);
  CHECK(best->cuts.stages() == 2);
}
