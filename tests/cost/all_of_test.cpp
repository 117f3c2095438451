// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/at_least_one.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/check_constraint.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <vector>

#include "every_cut.hpp"
#include "placed_answers.hpp"

using stagecut::all_of;
using stagecut::at_least_one;
using stagecut::at_most;
using stagecut::forbidden_cuts;
using stagecut::hereditary;
using stagecut::prefix_sums;
using stagecut::promises;
using stagecut::stage_invariant;

namespace {

using cap = at_most<prefix_sums<double>>;
using caps = at_most<prefix_sums<double>, std::vector<double>>;
constexpr auto unknown = [](std::size_t stage, std::size_t, std::size_t last) { return stage < last; };

static_assert(stagecut::stage_constraint<all_of<cap, forbidden_cuts>>);
static_assert(promises<all_of<cap, cap>, hereditary> && promises<all_of<cap, cap>, stage_invariant>);
static_assert(promises<all_of<cap, caps>, hereditary> && !promises<all_of<cap, caps>, stage_invariant>);
static_assert(!promises<all_of<cap, forbidden_cuts>, hereditary>);
static_assert(promises<all_of<cap, forbidden_cuts>, stage_invariant>);
static_assert(stagecut::enable_axioms<all_of<cap, decltype(unknown)>>.bits == 0);
static_assert(promises<all_of<>, hereditary>);
static_assert(all_of(unknown, unknown)(1, 0, 2));

}  // namespace

TEST_CASE("on random chains all hold at once, promises are kept, and an obstacle is one") {
  std::mt19937 random(5);
  std::size_t obstacles = 0;
  std::size_t hopeless = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t items = 2 + random() % 6;
    std::vector<double> values(items);
    for (double& value : values) value = static_cast<double>(random() % 10);
    std::vector<bool> kinds(items);
    for (std::size_t i = 0; i < items; ++i) kinds[i] = random() % 2 == 0;
    const prefix_sums cost(values);
    const at_most small(cost, static_cast<double>(5 + random() % 20));
    const at_least_one kind(kinds);
    const forbidden_cuts uncut(items, {1 + random() % (items - 1)});
    const all_of all(small, kind, uncut, unknown);
    for (std::size_t s = 0; s < 3; ++s) {
      for (std::size_t first = 0; first <= items; ++first) {
        for (std::size_t last = first; last <= items; ++last) {
          CHECK(all(s, first, last) ==
                (small(s, first, last) && kind(s, first, last) && uncut(s, first, last) && unknown(s, first, last)));
          const bool none = !small(s, first, last) || (!kind(s, first, last) && kind.hopeless(s, first, last)) ||
                            (!uncut(s, first, last) && uncut.hopeless(s, first, last));
          CHECK(all.hopeless(s, first, last) == none);
          hopeless += none ? 1 : 0;
        }
      }
    }
    const auto report = stagecut::testing::check_constraint(all, items, 4);
    CHECK_MESSAGE(report, report.text());
    for (std::size_t stages = 1; stages <= items; ++stages) {
      if (!all.obstacle(items, stages)) continue;
      ++obstacles;
      CHECK_FALSE(any_is_allowed(all, items, stages));
    }
  }
  CHECK(obstacles > 1000);
  CHECK(hopeless > 1000);
}

TEST_CASE("the first obstacle is told, by whoever can") {
  const forbidden_cuts uncut(3, {1});
  const at_least_one kind(std::vector<bool>{true, false, false});
  CHECK(all_of(unknown, uncut, kind).obstacle(3, 3) == uncut.obstacle(3, 3));
  CHECK(all_of(unknown, uncut, kind).obstacle(3, 2) == kind.obstacle(3, 2));
  CHECK_FALSE(all_of(unknown, uncut, kind).obstacle(3, 1));
  CHECK_FALSE(all_of(unknown).obstacle(3, 3));
  CHECK(all_of()(0, 0, 0));
  CHECK_FALSE(all_of().hopeless(0, 0, 0));
}

TEST_CASE("none is asked after the first that says no") {
  int asked = 0;
  const auto counts = [&asked](std::size_t, std::size_t, std::size_t) { return ++asked > 0; };
  const all_of all([](std::size_t, std::size_t first, std::size_t) { return first == 0; }, counts);
  CHECK(all(0, 0, 1));
  CHECK_FALSE(all(0, 1, 2));
  CHECK(asked == 1);
}

TEST_CASE("placed it says the same, whatever its parts hold") {
  struct owner {
    prefix_sums<double> cost;
    forbidden_cuts last;
    all_of<const forbidden_cuts&, cap, forbidden_cuts, at_least_one, caps, all_of<forbidden_cuts>> constraint;
    owner(const std::vector<double>& seconds, const std::vector<bool>& of_kind, std::size_t cut)
        : cost(seconds),
          last(seconds.size(), {seconds.size() - 1}),
          constraint(last, at_most(cost, 20.0), forbidden_cuts(seconds.size(), {cut}), at_least_one(of_kind),
                     at_most(cost, {30.0, 9.0}), all_of(forbidden_cuts(seconds.size(), {1}))) {}
  };
  std::mt19937 random(7);
  for (std::size_t items = 2; items < 12; ++items) {
    std::vector<double> seconds(items);
    std::vector<bool> of_kind(items);
    for (std::size_t i = 0; i < items; ++i) {
      seconds[i] = static_cast<double>(random() % 10);
      of_kind[i] = random() % 3 != 0;
    }
    const std::size_t cut = 1 + random() % (items - 1);
    CHECK(says_the_same_placed([&] { return std::make_unique<owner>(seconds, of_kind, cut); }, items, 2));
  }
  copied_arrays memory;
  CHECK(stagecut::detail::placed(all_of(), memory)(0, 0, 0));
}
