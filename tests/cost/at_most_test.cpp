// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_constraint.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "every_cut.hpp"
#include "placed_answers.hpp"

using stagecut::at_most;
using stagecut::at_speeds;
using stagecut::hereditary;
using stagecut::prefix_sums;
using stagecut::promises;
using stagecut::stage_invariant;
using stagecut::testing::check_constraint;

namespace {

using sums = prefix_sums<double>;
using one = at_most<sums>;
using each = at_most<sums, std::vector<double>>;
using right = stagecut::testing::right_monotone_archetype;
using left = stagecut::testing::left_monotone_archetype;
using staged = stagecut::testing::staged_archetype<stagecut::axioms<stagecut::monotone>>;

static_assert(stagecut::stage_constraint<one>);
static_assert(promises<one, hereditary> && promises<one, stage_invariant>);
static_assert(promises<each, hereditary> && !promises<each, stage_invariant>);
static_assert(!promises<at_most<right>, hereditary> && promises<at_most<right>, stage_invariant>);
static_assert(!promises<at_most<left>, hereditary>);
static_assert(promises<at_most<staged>, hereditary> && !promises<at_most<staged>, stage_invariant>);
static_assert(std::is_same_v<decltype(at_most(std::declval<const sums&>(), 3)), one>);
static_assert(std::is_same_v<decltype(at_most(std::declval<const sums&>(), {3, 4})), each>);
static_assert(std::is_constructible_v<one, const sums&, double>);
static_assert(std::is_constructible_v<one, sums, double>);
static_assert(std::is_constructible_v<at_most<const sums&>, const sums&, double>);
static_assert(!std::is_constructible_v<at_most<const sums&>, sums, double>);  // would die before it is asked

template <class C>
constexpr bool tells_hopeless = requires(const C& c) {
  c.hopeless(0U, 0U, 1U);
};
static_assert(tells_hopeless<at_most<right>> && !tells_hopeless<at_most<left>>);

}  // namespace

TEST_CASE("one bound for all stages, or one for each") {
  const prefix_sums cost{1, 2, 3};
  const at_most all(cost, 3);
  CHECK(all.cost()(0, 3) == 6);
  CHECK(&at_most(std::cref(cost), 3).cost() == &cost);
  CHECK(all.bound(9) == 3);
  CHECK(all(9, 0, 2));
  CHECK_FALSE(all(9, 0, 3));
  const at_most some(cost, {3, 2});
  CHECK(some(0, 0, 2));
  CHECK_FALSE(some(1, 0, 2));
  CHECK(some.bound(1) == 2);
}

TEST_CASE("of any cost that can be compared") {
  const right cost(7);
  const at_most kept(std::cref(cost), stagecut::testing::ordered_archetype(4));
  CHECK(kept(0, 0, 4));
  CHECK_FALSE(kept(0, 1, 4));
  CHECK(kept.hopeless(0, 1, 4));
  const auto report = check_constraint(kept, 7, 2);
  CHECK_MESSAGE(report, report.text());
  const left other(7);
  const auto mirrored = check_constraint(at_most(std::cref(other), stagecut::testing::ordered_archetype(4)), 7, 2);
  CHECK_MESSAGE(mirrored, mirrored.text());
  const staged later(7);
  const auto by_stage = check_constraint(at_most(std::cref(later), stagecut::testing::ordered_archetype(4)), 7, 5);
  CHECK_MESSAGE(by_stage, by_stage.text());
}

TEST_CASE("on random chains it is what it says and keeps its promises, and an obstacle is one") {
  std::mt19937 random(4);
  std::size_t obstacles = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t items = 1 + random() % 7;
    std::vector<double> values(items);
    for (double& each_value : values) each_value = static_cast<double>(random() % 10) / 10;
    const sums cost(values);
    std::vector<double> speeds(items + 1);
    std::vector<double> bounds(items + 1);
    for (double& speed : speeds) speed = static_cast<double>(1 + random() % 3);
    for (double& bound : bounds) bound = static_cast<double>(random() % 12) / 10;
    const at_speeds at(cost, speeds);
    const auto examine = [&](const auto& kept, const auto& price, const auto& bound) {
      for (std::size_t s = 0; s <= items; ++s) {
        for (std::size_t first = 0; first <= items; ++first) {
          for (std::size_t last = first; last <= items; ++last) {
            CHECK(kept(s, first, last) == (price(s, first, last) <= bound(s)));
          }
        }
      }
      const auto report = check_constraint(kept, items, items + 1);
      CHECK_MESSAGE(report, report.text());
      for (std::size_t stages = 1; stages <= items; ++stages) {
        if (!kept.obstacle(items, stages)) continue;
        ++obstacles;
        CHECK_FALSE(any_is_allowed(kept, items, stages));
      }
    };
    const auto same = [&](std::size_t, std::size_t first, std::size_t last) { return cost(first, last); };
    const auto first_bound = [&](std::size_t) { return bounds[0]; };
    const auto each_bound = [&](std::size_t s) { return bounds[s]; };
    examine(at_most(cost, bounds[0]), same, first_bound);
    examine(at_most(cost, bounds), same, each_bound);
    examine(at_most(at, bounds[0]), at, first_bound);
    examine(at_most(at, bounds), at, each_bound);
  }
  CHECK(obstacles > 1000);
}

TEST_CASE("an obstacle names the item") {
  const prefix_sums cost{1, 12, 3};
  CHECK(at_most(cost, 10).obstacle(3, 2)->text() ==
        "no cut keeps to the constraint: item 1 alone costs more than the 10 that a stage may cost: 12");
  CHECK(at_most(cost, {10, 11}).obstacle(3, 2)->place == "item 1 alone costs more than any of the stages may");
  CHECK_FALSE(at_most(cost, {10, 12}).obstacle(3, 2));
  CHECK(at_most(cost, {10, 12}).obstacle(3, 1));
  CHECK_FALSE(at_most(cost, 10).obstacle(3, 0));
}

TEST_CASE("bounds that are none, and stages without one, are refused") {
  const sums cost{1.0};
  CHECK_THROWS_WITH_AS(at_most(cost, std::numeric_limits<double>::quiet_NaN()),
                       "stagecut::at_most: bound = NaN, must be a number", stagecut::argument_error);
  CHECK_THROWS_WITH_AS(at_most(cost, {1.0, std::numeric_limits<double>::quiet_NaN()}),
                       "stagecut::at_most: bounds[1] = NaN, must be a number", stagecut::argument_error);
  const at_most kept(cost, {1.0, 2.0});
  CHECK_THROWS_WITH_AS(static_cast<void>(kept(2, 0, 1)),
                       "stagecut::at_most: bounds.size() = 2, must be the number of stages, above 2",
                       stagecut::argument_error);
  CHECK_THROWS_AS(static_cast<void>(kept.obstacle(1, 3)), stagecut::argument_error);
  // A chain that is longer than the cost's: no reads behind its end, and no answer from them.
  CHECK_THROWS_WITH_AS(static_cast<void>(kept(0, 0, cost.size() + 1)),
                       doctest::Contains("at_most: cost.size() = "), stagecut::argument_error);
  const sums longer(std::vector<double>(cost.size() + 3, 1));
  CHECK_THROWS_AS(static_cast<void>(stagecut::minimize_bottleneck(longer, 2, at_most(cost, 0.5))),
                  stagecut::argument_error);
}

TEST_CASE("placed it says the same, of costs that own arrays and of costs that are numbers") {
  struct of_sums {
    sums cost;
    one constraint;
    explicit of_sums(const std::vector<double>& items, double bound) : cost(items), constraint(cost, bound) {}
  };
  struct by_stage {
    sums cost;
    at_most<const sums&, std::vector<double>> constraint;
    explicit by_stage(const std::vector<double>& items, std::vector<double> bounds)
        : cost(items), constraint(cost, std::move(bounds)) {}
  };
  struct later_is_slower {
    std::size_t items;
    [[nodiscard]] std::size_t size() const { return items; }
    std::size_t operator()(std::size_t stage, std::size_t first, std::size_t last) const {
      return (stage + 1) * (last - first);
    }
  };
  struct of_stages {
    later_is_slower cost;
    at_most<later_is_slower, std::vector<std::size_t>> constraint;
    explicit of_stages(std::size_t items) : cost{items}, constraint(cost, {3, 9, 7}) {}
  };
  std::mt19937 random(8);
  for (std::size_t items = 0; items < 12; ++items) {
    std::vector<double> seconds(items);
    for (double& each : seconds) each = static_cast<double>(random() % 100) / 7;
    const double bound = static_cast<double>(random() % 60);
    CHECK(says_the_same_placed([&] { return std::make_unique<of_sums>(seconds, bound); }, items, 1));
    const std::vector<double> bounds{bound, bound / 2, bound / 3};
    CHECK(says_the_same_placed([&] { return std::make_unique<by_stage>(seconds, bounds); }, items, 3));
    CHECK(says_the_same_placed([&] { return std::make_unique<of_stages>(items); }, items, 3));
  }
}
