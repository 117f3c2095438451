// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/kept_together.hpp>
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/overlapped_cost.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/cost/sent_at_cuts.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "every_cut.hpp"
#include "placed_answers.hpp"

using stagecut::added_cuts;
using stagecut::cut_times;
using stagecut::cuts;
using stagecut::enable_axioms;
using stagecut::forbidden_cuts;
using stagecut::merged_items;
using stagecut::overlapped_cuts;
using stagecut::prefix_sums;
using stagecut::sent_at_cuts;
using stagecut::testing::check_axioms;

namespace {

using sums = prefix_sums<double>;

static_assert(stagecut::additive_cost<merged_items<sums>>);
static_assert(enable_axioms<merged_items<sums>>.bits == enable_axioms<sums>.bits);
static_assert(stagecut::separable_cost<merged_items<added_cuts<sums>>>);
static_assert(stagecut::separable_cost<merged_items<sent_at_cuts<double>>>);
static_assert(stagecut::overlapped_cost<merged_items<overlapped_cuts<sums>>>);
static_assert(!stagecut::overlapped_cost<merged_items<added_cuts<sums>>>);
static_assert(stagecut::monotone_cost<merged_items<stagecut::testing::monotone_archetype>>);
static_assert(!stagecut::additive_cost<merged_items<stagecut::testing::monotone_archetype>>);
static_assert(!stagecut::interval_cost<merged_items<added_cuts<sums>>>);
static_assert(std::is_constructible_v<merged_items<sums>, sums, cuts>);
static_assert(!std::is_constructible_v<merged_items<const sums&>, sums, cuts>);
static_assert(!std::is_constructible_v<merged_items<const sums&>, sums, const forbidden_cuts&>);

}  // namespace

TEST_CASE("blocks cost what their items cost") {
  const prefix_sums cost{1, 2, 4, 8, 16};
  const merged_items blocks(cost, forbidden_cuts(5, {1, 3}));
  CHECK(blocks.blocks() == cuts{0, 2, 4, 5});
  CHECK(blocks.size() == 3);
  CHECK(blocks(0, 1) == 3);
  CHECK(blocks(1, 3) == 28);
  CHECK(blocks.prefix(2) == 15);
  CHECK(blocks.expand(cuts{0, 1, 3}) == cuts{0, 2, 5});
  CHECK(blocks.expand(cuts({0, 1, 1, 3}, stagecut::empty_stages::allowed)).sizes() ==
        std::vector<std::size_t>{2, 0, 3});
  CHECK(merged_items(cost, stagecut::kept_together(5, {{0, 3}})).blocks() == cuts{0, 3, 4, 5});
  CHECK(merged_items(cost, cuts{0, 5}).size() == 1);
  const prefix_sums<int> nothing;
  CHECK(merged_items(nothing, forbidden_cuts(0, {})).size() == 0);
}

TEST_CASE("on random chains promises are kept, and cuts of blocks are the allowed cuts of items") {
  std::mt19937 random(12);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t items = 1 + random() % 9;
    std::vector<double> values(items);
    for (double& value : values) value = static_cast<double>(random() % 100) / 7;
    std::vector<std::size_t> forbidden;
    for (std::size_t cut = 1; cut < items; ++cut) {
      if (random() % 2 == 0) forbidden.push_back(cut);
    }
    const forbidden_cuts uncut(items, forbidden);
    const prefix_sums cost(values);
    const cut_times times(values, {{0.3, 7}});
    const added_cuts added(cost, times, {1, 2, 3});
    const overlapped_cuts overlapped(cost, times);
    const sent_at_cuts sent(values);
    const merged_items sums_of(cost, uncut);
    const merged_items added_of(added, uncut);
    const merged_items overlapped_of(overlapped, uncut);
    const merged_items sent_of(sent, uncut);
    const auto& points = sums_of.blocks();
    for (std::size_t s = 0; s < 3; ++s) {
      for (std::size_t first = 0; first <= sums_of.size(); ++first) {
        for (std::size_t last = first; last <= sums_of.size(); ++last) {
          CHECK(sums_of(first, last) == cost(points[first], points[last]));
          CHECK(sent_of(first, last) == sent(points[first], points[last]));
          CHECK(added_of(s, first, last) == added(s, points[first], points[last]));
          CHECK(overlapped_of(s, first, last) == overlapped(s, points[first], points[last]));
          CHECK(overlapped_of.work(s, first, last) == overlapped.work(s, points[first], points[last]));
          CHECK(overlapped_of.message(s, first) == overlapped.message(s, points[first]));
        }
      }
    }
    for (const auto& report :
         {check_axioms(sums_of), check_axioms(sent_of), check_axioms(added_of, 3), check_axioms(overlapped_of, 3)}) {
      CHECK_MESSAGE(report, report.text());
    }
    std::set<std::vector<std::size_t>> of_blocks;
    for_every_cut(sums_of.size(), 3, [&](const std::vector<std::size_t>& between) {
      const cuts wide = sums_of.expand(cuts(between));
      of_blocks.emplace(wide.points().begin(), wide.points().end());
    });
    std::set<std::vector<std::size_t>> allowed;
    for_every_cut(items, 3, [&](const std::vector<std::size_t>& each) {
      if (uncut(0, each[0], each[1]) && uncut(1, each[1], each[2]) && uncut(2, each[2], each[3])) allowed.insert(each);
    });
    CHECK(of_blocks == allowed);
  }
}

TEST_CASE("parts that do not belong together are refused") {
  const prefix_sums cost{1, 2, 4};
  CHECK_THROWS_WITH_AS(merged_items(cost, cuts{0, 2}),
                       "stagecut::merged_items: blocks.items() = 2, must be the number of items, 3",
                       stagecut::argument_error);
  CHECK_THROWS_AS(merged_items(cost, forbidden_cuts(4, {1})), stagecut::argument_error);
  const merged_items blocks(cost, forbidden_cuts(3, {1}));
  CHECK_THROWS_WITH_AS(static_cast<void>(blocks.expand(cuts{0, 1, 3})),
                       "stagecut::merged_items::expand: between_blocks.items() = 3, must be the number of blocks, 2",
                       stagecut::argument_error);
}

TEST_CASE("a constraint on stages of blocks is that on stages of their items") {
  const cuts blocks{0, 1, 3, 4};
  const auto at_most_two = [](std::size_t, std::size_t first, std::size_t last) { return last - first <= 2; };
  const stagecut::merged_constraint allowed(at_most_two, blocks);
  CHECK(allowed(0, 1, 2));
  CHECK_FALSE(allowed(0, 0, 2));
  CHECK_FALSE(allowed.hopeless(0, 0, 2));
  CHECK_THROWS_WITH_AS(static_cast<void>(allowed(0, 0, 4)),
                       "stagecut::merged_constraint: blocks.stages() = 3, must be the number of items, at least 4",
                       stagecut::argument_error);
  struct narrow {
    using axioms = stagecut::axioms<stagecut::hereditary>;
    bool operator()(std::size_t stage, std::size_t first, std::size_t last) const { return last - first <= stage; }
  };
  const narrow hereditary{};
  const stagecut::merged_constraint by_stage(hereditary, blocks);
  static_assert(stagecut::promises<decltype(by_stage), stagecut::hereditary>);
  CHECK_FALSE(by_stage(1, 1, 2));
  CHECK(by_stage.hopeless(1, 1, 2));
  CHECK(by_stage(2, 1, 2));
}

TEST_CASE("placed a constraint on stages of blocks says the same") {
  struct owner {
    cuts blocks;
    forbidden_cuts uncut;
    stagecut::merged_constraint<const forbidden_cuts&> constraint;
    explicit owner(cuts points) : blocks(std::move(points)), uncut(9, {3, 8}), constraint(uncut, blocks) {}
  };
  CHECK(says_the_same_placed([] { return std::make_unique<owner>(cuts{0, 1, 3, 4, 8, 9}); }, 5, 1));
}
