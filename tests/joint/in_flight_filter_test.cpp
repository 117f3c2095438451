// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/in_flight_filter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include "small_problems.hpp"

using joint_tests::drawn;
using joint_tests::options;
using joint_tests::workbench;
using stagecut::schedule_kind;
using stagecut::detail::in_flight_filter;
using stagecut::detail::option_paths;

namespace {

/// An order of one stage a rank, of GPipe, 1F1B or between.
stagecut::schedule any_of_the_family(std::mt19937& dice) {
  const std::size_t ranks = drawn(dice, 1, 4);
  const std::size_t m = drawn(dice, 1, 6);
  switch (dice() % 4) {
    case 0: return stagecut::gpipe(ranks, m);
    case 1: return stagecut::one_forward_one_backward(ranks, m);
    case 2: return stagecut::eager_one_forward_one_backward(ranks, m);
    default: break;
  }
  stagecut::schedule_shape shape;
  shape.ranks = ranks;
  shape.microbatches = m;
  for (std::size_t r = 0; r < ranks; ++r)
    shape.in_flight.push_back(drawn(dice, 1, r == 0 ? m : shape.in_flight[r - 1]));
  return stagecut::make_schedule(schedule_kind::in_flight, shape);
}

}  // namespace

TEST_CASE("options of plans that are short enough stay, and many others go") {
  std::mt19937 dice(1);
  std::size_t kept = 0;
  std::size_t dropped = 0;
  std::size_t none = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    joint_tests::small_case some = joint_tests::any_case(dice, 3, 4, 600);
    some.request.schedule = any_of_the_family(dice);
    if (stagecut::detail::least_layers_in_all(some.request) > some.model.layers.size()) continue;
    for (auto& type : some.model.types) {
      for (auto& choice : type.choices) choice.backward_weight = 0;
    }
    if (dice() % 2 == 0) joint_tests::draw_memory(dice, some);
    const workbench bench(some);
    const std::set<options> plans = joint_tests::all_plans(bench.graph, 600);
    if (plans.empty()) continue;
    in_flight_filter filter(bench.problem);
    REQUIRE(filter.applies());
    std::vector<double> makespans;
    for (const options& plan : plans) makespans.push_back(bench.makespan(plan));
    std::vector<double> sorted = makespans;
    std::sort(sorted.begin(), sorted.end());
    for (const double most : {sorted[0], sorted[dice() % (1 + sorted.size() / 4)], sorted.back(), sorted[0] - 1}) {
      option_paths::live_options live = option_paths::all_live(bench.graph);
      const std::size_t told = filter.drop_above(most, live);
      std::size_t gone = 0;
      bool empty = false;
      for (const auto& rank : live) {
        const auto here = static_cast<std::size_t>(std::count(rank.begin(), rank.end(), 0));
        gone += here;
        empty = empty || here == rank.size();
      }
      CHECK(told == gone);
      bool sound = true;
      std::size_t i = 0;
      for (const options& plan : plans) sound = sound && (makespans[i++] > most || joint_tests::is_live(live, plan));
      CHECK(sound);
      kept += bench.graph.options() - gone;
      dropped += gone;
      none += empty ? 1 : 0;
      option_paths::live_options again = live;
      if (!empty) CHECK(filter.drop_above(most, again) == 0);
    }
  }
  CHECK(kept > 1000);
  CHECK(dropped > 1000);
  CHECK(none > 100);  // the bound meets the optimum often
}

TEST_CASE("orders of several stages a rank, or with gradients apart, are not of the family") {
  std::mt19937 dice(2);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 1));
    const auto& order = bench.drawn.request.schedule;
    if (order.ranks() == order.stages() && !bench.splits) continue;
    CHECK_FALSE(in_flight_filter(bench.problem).applies());
  }
}
