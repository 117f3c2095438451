// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/at_least_one.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/testing/check_constraint.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "every_cut.hpp"
#include "placed_answers.hpp"

using stagecut::at_least_one;
using stagecut::reason;

static_assert(stagecut::stage_constraint<at_least_one>);
static_assert(stagecut::promises<at_least_one, stagecut::stage_invariant>);
static_assert(!stagecut::promises<at_least_one, stagecut::hereditary>);
static_assert(!std::is_constructible_v<at_least_one, std::vector<int>, bool (*)(std::string)>);

TEST_CASE("a kind is told by flags or by a predicate") {
  const std::vector<std::string> kinds{"embedding", "block", "block", "norm", "head"};
  const at_least_one named(kinds, [](const std::string& kind) { return kind == "block"; });
  const at_least_one flagged({false, true, true, false, false});
  CHECK(named.size() == 5);
  for (std::size_t first = 0; first <= 5; ++first) {
    for (std::size_t last = first; last <= 5; ++last) CHECK(named(0, first, last) == flagged(7, first, last));
  }
  CHECK(named(0, 0, 2));
  CHECK_FALSE(named(0, 0, 1));
  CHECK_FALSE(named.hopeless(0, 0, 1));
  CHECK(named.hopeless(0, 3, 4));
  CHECK_FALSE(named(0, 2, 2));  // not of an empty stage
}

TEST_CASE("on random chains it is what it says, and tells of an obstacle exactly where nothing fits") {
  std::mt19937 random(3);
  std::size_t obstacles = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t items = 1 + random() % 8;
    std::vector<bool> kinds(items);
    for (std::size_t i = 0; i < items; ++i) kinds[i] = random() % 3 == 0;
    const at_least_one kept(kinds);
    for (std::size_t first = 0; first <= items; ++first) {
      bool any = false;
      for (std::size_t last = first; last <= items; ++last) {
        CHECK(kept(0, first, last) == any);
        any = any || (last < items && kinds[last]);
      }
      CHECK(kept.hopeless(0, first, first) == !any);
    }
    const auto report = stagecut::testing::check_constraint(kept, items, 4);
    CHECK_MESSAGE(report, report.text());
    for (std::size_t stages = 1; stages <= items + 1; ++stages) {
      CHECK(kept.obstacle(items, stages).has_value() != any_is_allowed(kept, items, stages));
      obstacles += kept.obstacle(items, stages).has_value() ? 1 : 0;
    }
  }
  CHECK(obstacles > 2000);
}

TEST_CASE("a longer chain is refused") {
  const stagecut::at_least_one kinds(std::vector<bool>{true, true});
  CHECK_THROWS_WITH_AS((void)kinds(0, 1, 3),
                       "stagecut::at_least_one: items = 2, must be the number of layers of the chain, 3",
                       stagecut::argument_error);
  CHECK_THROWS_AS((void)kinds.hopeless(0, 2, 3), stagecut::argument_error);
}

TEST_CASE("an obstacle tells how many items there are") {
  const at_least_one five(std::vector<bool>{true, true, true, true, false, true});
  CHECK(five.obstacle(6, 6) == reason{reason::cause::constraint, 6, 5,
                                      "6 stages need 6 items of the kind, and there are 5", "ask for at most 5"});
  const at_least_one one(std::vector<bool>{false, true});
  CHECK(one.obstacle(2, 2)->place == "2 stages need 2 items of the kind, and there is 1");
  const at_least_one none(std::vector<bool>{false});
  CHECK(none.obstacle(1, 1)->text() ==
        "no cut keeps to the constraint: 1 stage needs 1 item of the kind, and there are 0");
  CHECK_THROWS_WITH_AS(static_cast<void>(five.obstacle(5, 2)),
                       "stagecut::at_least_one: items = 6, must be the number of layers of the chain, 5",
                       stagecut::argument_error);
}

TEST_CASE("placed it says the same") {
  struct owner {
    at_least_one constraint;
  };
  std::mt19937 random(4);
  for (std::size_t items = 0; items < 12; ++items) {
    std::vector<bool> of_kind(items);
    for (std::size_t i = 0; i < items; ++i) of_kind[i] = random() % 3 == 0;
    CHECK(says_the_same_placed([&] { return std::make_unique<owner>(owner{at_least_one(of_kind)}); }, items, 1));
  }
}
