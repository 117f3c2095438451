// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/kept_together.hpp>
#include <stagecut/testing/check_constraint.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <vector>

#include "every_cut.hpp"
#include "placed_answers.hpp"

using stagecut::interval;
using stagecut::kept_together;

static_assert(stagecut::stage_constraint<kept_together>);
static_assert(stagecut::promises<kept_together, stagecut::stage_invariant>);

TEST_CASE("items of a group share a stage, and so do those of groups that overlap") {
  const kept_together keep(9, {{4, 6}, {1, 3}, {5, 8}, {0, 1}, {9, 9}});
  std::vector<std::size_t> allowed;
  for (std::size_t cut = 1; cut < 9; ++cut) {
    if (!keep.forbids(cut)) allowed.push_back(cut);
  }
  CHECK(allowed == std::vector<std::size_t>{1, 3, 4, 8});
  CHECK(keep.obstacle(9, 6)->place == "6 stages need 5 cuts, and 4 are allowed");
}

TEST_CASE("on random chains a cut is forbidden if it parts a group") {
  std::mt19937 random(2);
  std::size_t forbidden = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t items = random() % 9;
    std::vector<interval> groups;
    for (std::size_t g = random() % 4; g-- > 0;) {
      const std::size_t first = random() % (items + 1);
      groups.push_back({first, first + random() % (items - first + 1)});
    }
    const kept_together keep(items, groups);
    for (std::size_t cut = 0; cut <= items; ++cut) {
      bool parts = false;
      for (const interval& group : groups) parts = parts || (group.first < cut && cut < group.last);
      CHECK(keep.forbids(cut) == parts);
      forbidden += parts ? 1 : 0;
    }
    const auto report = stagecut::testing::check_constraint(keep, items, 3);
    CHECK_MESSAGE(report, report.text());
  }
  CHECK(forbidden > 1000);
}

TEST_CASE("what is no interval of the chain is refused by its place") {
  CHECK_THROWS_WITH_AS(kept_together(5, {{0, 2}, {3, 6}}),
                       "stagecut::kept_together: groups[1] = [3, 6), must be an interval of the 5 items",
                       stagecut::argument_error);
  CHECK_THROWS_AS(kept_together(5, {{3, 2}}), stagecut::argument_error);
  CHECK_THROWS_AS(kept_together(5, {{6, 6}}), stagecut::argument_error);
}

TEST_CASE("placed it keeps the same together") {
  struct owner {
    kept_together constraint;
  };
  const auto make = [] { return std::make_unique<owner>(owner{kept_together(70, {{4, 6}, {60, 68}, {5, 8}})}); };
  CHECK(says_the_same_placed(make, 70, 1));
}
