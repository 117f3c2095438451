// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/testing/check_constraint.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <set>
#include <vector>

#include "every_cut.hpp"
#include "placed_answers.hpp"

using stagecut::forbidden_cuts;
using stagecut::reason;

static_assert(stagecut::stage_constraint<forbidden_cuts>);
static_assert(stagecut::promises<forbidden_cuts, stagecut::stage_invariant>);
static_assert(!stagecut::promises<forbidden_cuts, stagecut::hereditary>);

TEST_CASE("a stage may be if no end of it is a forbidden cut") {
  const forbidden_cuts keep(6, {2, 5, 2});
  CHECK(keep.size() == 6);
  CHECK(keep.allowed() == 3);
  CHECK(keep(0, 0, 1));
  CHECK(keep(0, 0, 6));
  CHECK_FALSE(keep(0, 0, 2));
  CHECK_FALSE(keep(3, 2, 4));
  CHECK(keep.hopeless(3, 2, 4));
  CHECK_FALSE(keep.hopeless(0, 0, 2));  // [0, 3) may be
  CHECK(keep.forbids(5));
  CHECK_FALSE(keep.forbids(0));
  CHECK_FALSE(keep.forbids(6));
  CHECK_FALSE(keep.forbids(7));
  CHECK(forbidden_cuts(0, {}).allowed() == 0);
  CHECK(forbidden_cuts(1, {}).allowed() == 0);
}

TEST_CASE("on random chains it keeps its promises, and tells of an obstacle exactly where nothing fits") {
  std::mt19937 random(1);
  std::size_t obstacles = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t items = 1 + random() % 8;
    std::vector<std::size_t> cuts;
    for (std::size_t i = random() % 6; i-- > 0 && items > 1;) cuts.push_back(1 + random() % (items - 1));
    const std::set<std::size_t> forbidden(cuts.begin(), cuts.end());
    const forbidden_cuts keep(items, cuts);
    CHECK(keep.allowed() == items - 1 - forbidden.size());
    for (std::size_t first = 0; first <= items; ++first) {
      for (std::size_t last = first; last <= items; ++last) {
        CHECK(keep(0, first, last) == (forbidden.count(first) + forbidden.count(last) == 0));
      }
    }
    const auto report = stagecut::testing::check_constraint(keep, items, 4);
    CHECK_MESSAGE(report, report.text());
    for (std::size_t stages = 1; stages <= items + 1; ++stages) {
      CHECK(keep.obstacle(items, stages).has_value() != any_is_allowed(keep, items, stages));
      obstacles += keep.obstacle(items, stages).has_value() ? 1 : 0;
    }
  }
  CHECK(obstacles > 2000);
}

TEST_CASE("an obstacle tells how many cuts there are") {
  const reason why = forbidden_cuts(8, {1, 2, 5, 7}).obstacle(8, 8).value();
  CHECK(why == reason{reason::cause::constraint, 7, 3, "8 stages need 7 cuts, and 3 are allowed", "ask for at most 4"});
  CHECK(why.text() == "no cut keeps to the constraint: 8 stages need 7 cuts, and 3 are allowed; ask for at most 4");
  CHECK(forbidden_cuts(2, {1}).obstacle(2, 2)->place == "2 stages need 1 cut, and 0 are allowed");
  CHECK(forbidden_cuts(3, {1}).obstacle(3, 3)->place == "3 stages need 2 cuts, and 1 is allowed");
  CHECK_FALSE(forbidden_cuts(3, {1}).obstacle(3, 2));
  CHECK_FALSE(forbidden_cuts(0, {}).obstacle(0, 0));
}

TEST_CASE("what is no cut of the chain is refused by its place") {
  CHECK_THROWS_WITH_AS(forbidden_cuts(5, {1, 5}),
                       "stagecut::forbidden_cuts: cuts[1] = 5, must be above 0 and below the number of items, 5",
                       stagecut::argument_error);
  CHECK_THROWS_AS(forbidden_cuts(5, {0}), stagecut::argument_error);
  CHECK_THROWS_AS(forbidden_cuts(0, {1}), stagecut::argument_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(forbidden_cuts(5, {1}).obstacle(6, 2)),
                       "stagecut::forbidden_cuts: items = 5, must be the number of layers of the chain, 6",
                       stagecut::argument_error);
}

TEST_CASE("placed it forbids the same, also beyond a word of 64 cuts") {
  struct owner {
    forbidden_cuts constraint;
  };
  std::mt19937 random(5);
  for (const std::size_t items : {0U, 1U, 7U, 62U, 63U, 64U, 65U, 128U, 130U}) {
    std::vector<std::size_t> cuts;
    for (std::size_t cut = 1; cut < items; ++cut) {
      if (random() % 3 == 0) cuts.push_back(cut);
    }
    CAPTURE(items);
    CHECK(says_the_same_placed([&] { return std::make_unique<owner>(owner{forbidden_cuts(items, cuts)}); }, items, 1));
    const forbidden_cuts keep(items, cuts);
    const std::set<std::size_t> expected(cuts.begin(), cuts.end());
    for (std::size_t cut = 0; cut < items + 70; ++cut) CHECK(keep.forbids(cut) == expected.contains(cut));
  }
}
