// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/recompute_problem.hpp>

#include <stagecut/engine/critical_path_pool.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include "small_problems.hpp"

using joint_tests::all_plans;
using joint_tests::options;
using joint_tests::workbench;
using stagecut::engine::critical_path_pool;
using stagecut::engine::tick_kinds;
using stagecut::engine::tick_message;

TEST_CASE("no plan is shorter than any path of another one, nor a mix of plans than one of its own") {
  std::mt19937 dice(1);
  std::size_t with_messages = 0;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 2, 6, 300));
    const std::set<options> plans = all_plans(bench.graph, 100);
    if (plans.empty()) continue;
    critical_path_pool rows;
    const std::vector<double> messages = bench.problem.no_passes();
    std::vector<double> counts;
    bool sound = true;
    for (const options& plan : plans) {
      const auto times = bench.problem.times_of(plan);
      const double makespan = bench.problem.makespan(times);
      bench.simulator.count_critical(counts);
      const std::size_t row = rows.add(counts).row;
      sound = sound && rows.length(row, times) == makespan && rows.counts(row) == counts;
      double passes = 0;
      for (std::size_t j = 0; j < times.size(); ++j)
        passes += j % tick_kinds == tick_message ? 0 : counts[j] * times[j];
      sound = sound && passes + rows.length(row, messages) == makespan;
    }
    // The first two, half of each.
    auto mix = bench.problem.times_of(*plans.begin());
    const auto other = bench.problem.times_of(*plans.rbegin());
    for (std::size_t j = 0; j < mix.size(); ++j) mix[j] = (mix[j] + other[j]) / 2;
    const double mixed = bench.problem.makespan(mix);
    bench.simulator.count_critical(counts);
    sound = sound && rows.length(rows.add(counts).row, mix) == mixed;
    sound = sound && 2 * mixed <= bench.makespan(*plans.begin()) + bench.makespan(*plans.rbegin());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      with_messages += rows.length(row, messages) > 0 ? 1 : 0;
      for (const options& plan : plans) {
        const auto times = bench.problem.times_of(plan);
        sound = sound && rows.length(row, times) <= bench.problem.makespan(times);
      }
    }
    CHECK(sound);
  }
  CHECK(with_messages > 20);
}
