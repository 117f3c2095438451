// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/option_graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include "small_problems.hpp"

using joint_tests::all_plans;
using joint_tests::drawn;
using joint_tests::options;
using joint_tests::workbench;
using stagecut::detail::no_time;
using stagecut::detail::option_paths;
using stagecut::detail::rank_options;
using stagecut::engine::tick_kinds;

namespace {

/// Small weights with exact sums; many are 0.
std::vector<double> drawn_weights(std::mt19937& dice, std::size_t stages) {
  std::vector<double> weights(stages * tick_kinds);
  for (double& weight : weights) weight = dice() % 3 == 0 ? 0 : static_cast<double>(drawn(dice, 0, 16)) / 4;
  return weights;
}

double length_of(const workbench& bench, const options& plan, const std::vector<double>& weights) {
  std::vector<double> times = bench.problem.times_of(plan);
  double sum = 0;
  for (std::size_t j = 0; j < times.size(); ++j) {
    if (j % tick_kinds != stagecut::engine::tick_message) sum += weights[j] * times[j];
  }
  return sum;
}

}  // namespace

TEST_CASE("least paths, and what lies on no short path, among options that are left") {
  std::mt19937 dice(1);
  std::size_t kept = 0;
  std::size_t dropped = 0;
  for (int round = 0; round < 250; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 3, 6, 600));
    const std::set<options> plans = all_plans(bench.graph, 1000);
    if (plans.empty()) continue;
    option_paths paths(bench.graph);
    option_paths::live_options live = option_paths::all_live(bench.graph);
    for (auto& rank : live) {
      for (char& each : rank) each = dice() % 8 == 0 ? 0 : 1;
    }
    const std::vector<double> weights = drawn_weights(dice, bench.drawn.request.schedule.stages());
    double least = no_time;
    std::vector<double> lengths;
    std::vector<std::vector<double>> through;
    for (const auto& rank : live) through.emplace_back(rank.size(), no_time);
    for (const options& plan : plans) {
      if (!joint_tests::is_live(live, plan)) continue;
      lengths.push_back(length_of(bench, plan, weights));
      least = std::min(least, lengths.back());
      for (std::size_t r = 0; r < plan.size(); ++r) {
        through[r][plan[r]] = std::min(through[r][plan[r]], lengths.back());
      }
    }
    paths.price(live, weights);
    if (lengths.empty()) {
      CHECK(paths.least() >= no_time);
      continue;
    }
    CHECK(paths.least() == least);
    options path;
    paths.path(path);
    CHECK(plans.count(path) == 1);
    CHECK(joint_tests::is_live(live, path));
    CHECK(length_of(bench, path, weights) == least);
    double costs = 0;
    for (std::size_t r = 0; r < path.size(); ++r) costs += paths.costs(r)[path[r]];
    CHECK(costs == least);

    const double most = lengths[dice() % lengths.size()];
    const option_paths::live_options before = live;
    const std::size_t told = paths.drop_above(most, live);
    std::size_t gone = 0;
    for (std::size_t r = 0; r < live.size(); ++r) {
      for (std::size_t o = 0; o < live[r].size(); ++o) {
        CHECK((live[r][o] != 0) == (before[r][o] != 0 && through[r][o] <= most));
        gone += live[r][o] != before[r][o] ? 1 : 0;
        kept += static_cast<std::size_t>(live[r][o]);
      }
    }
    CHECK(told == gone);
    dropped += gone;
  }
  CHECK(kept > 500);
  CHECK(dropped > 500);
}

TEST_CASE("two ranks and three layers") {
  joint_tests::small_case drawn;
  drawn.model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 1}}}};
  drawn.model.layers = {0, 0, 0};
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 2);
  const workbench bench(drawn);
  CHECK(bench.graph.nodes == std::vector<std::uint32_t>{1, 2, 1});
  CHECK(bench.graph.options() == 6);  // all three layers on one rank among them, which are on no path
  option_paths paths(bench.graph);
  option_paths::live_options live = option_paths::all_live(bench.graph);
  // A forward pass of rank 0 once, a backward pass of rank 1 twice.
  std::vector<double> weights(2 * tick_kinds);
  weights[stagecut::engine::tick_f] = 1;
  weights[tick_kinds + stagecut::engine::tick_b] = 2;
  paths.price(live, weights);
  CHECK(paths.least() == 2 + 2 * 2);
  options path;
  paths.path(path);
  CHECK(bench.problem.counts_of(path) == options{2, 1});
  CHECK(paths.drop_above(6, live) == 4);
  CHECK(paths.drop_above(6, live) == 0);
  CHECK(joint_tests::is_live(live, path));
}
