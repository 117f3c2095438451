// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/option_annealing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "small_problems.hpp"

using joint_tests::options;
using joint_tests::workbench;
using stagecut::detail::chosen_options;
using stagecut::detail::option_annealing;
using stagecut::detail::recent_paths;
using stagecut::engine::search_clock;

TEST_CASE("the best plan is one, takes as long as is told, and is often the best of all") {
  std::mt19937 dice(1);
  std::size_t tried = 0;
  std::size_t best = 0;
  for (int round = 0; round < 120; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 3, 6, 600));
    const std::set<options> plans = joint_tests::all_plans(bench.graph, 600);
    if (plans.empty()) continue;
    const options first = joint_tests::any_plan(dice, plans);
    const auto anneal = [&](std::uint64_t seed) {
      stagecut::search_options limits;
      limits.time_limit.reset();
      search_clock clock(limits);
      option_annealing search(bench.problem, clock, seed);
      search.begin({bench.problem.counts_of(first), first});
      CHECK(search.makespan == bench.makespan(first));
      double last = search.makespan;
      for (const double hottest : {0.01, 0.002}) {
        search.run(200, hottest);
        CHECK(search.makespan <= last);
        last = search.makespan;
      }
      CHECK(clock.state.nodes == 400);
      CHECK(search.simulations <= 401);  // the others were screened, or no change
      CHECK(search.best.counts == bench.problem.counts_of(search.best.options));
      CHECK(bench.is_sound(search.best.options, search.makespan));
      CHECK(plans.count(search.best.options) == 1);
      return search;
    };
    const option_annealing one = anneal(7);
    const option_annealing again = anneal(7);
    CHECK(one.best.options == again.best.options);
    CHECK(one.simulations == again.simulations);
    (void)anneal(8);
    double least = 1e300;
    for (const options& plan : plans) least = std::min(least, bench.makespan(plan));
    CHECK(one.makespan >= least);
    best += one.makespan == least ? 1 : 0;
    ++tried;
  }
  CHECK(tried > 60);
  CHECK(best > tried * 3 / 4);
}

TEST_CASE("a limit stops it, the best plan so far stays") {
  std::mt19937 dice(2);
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 1));
    const std::set<options> plans = joint_tests::all_plans(bench.graph);
    if (plans.empty()) continue;
    stagecut::search_options limits;
    limits.node_limit = 10;
    search_clock clock(limits);
    option_annealing search(bench.problem, clock, 1);
    search.begin({bench.problem.counts_of(*plans.begin()), *plans.begin()});
    search.run(1000, 0.01);
    CHECK(clock.state.nodes == 10);
    CHECK(bench.is_sound(search.best.options, search.makespan));
  }
}

TEST_CASE("lengths of the last 64 paths, as durations change") {
  std::mt19937 dice(1);
  constexpr std::size_t slots = 7;
  const auto some = [&] {
    std::vector<double> all(slots);
    for (double& each : all) each = static_cast<double>(dice() % 5);
    return all;
  };
  recent_paths paths(slots);
  CHECK(recent_paths::longest(paths.now) == 0);
  CHECK(recent_paths::mean(paths.now) == 0);
  std::deque<std::vector<double>> known;
  std::vector<double> times = some();
  paths.measure(times);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    if (dice() % 3 == 0) {
      known.push_back(some());
      paths.add(known.back(), times);
      if (known.size() > recent_paths::places) known.pop_front();
    } else if (dice() % 4 == 0) {
      times = some();
      paths.measure(times);
    } else {
      const std::size_t slot = dice() % slots;
      const double by = static_cast<double>(dice() % 9) - 4;
      const recent_paths::lengths before = paths.now;
      recent_paths::lengths changed = paths.now;
      paths.change(slot, by, changed);
      CHECK(paths.now == before);  // only looked at
      paths.now = changed;
      times[slot] += by;
    }
    std::vector<double> lengths;
    for (const auto& each : known) lengths.push_back(std::inner_product(each.begin(), each.end(), times.begin(), 0.0));
    lengths.resize(recent_paths::places);  // places not yet taken have none
    std::vector<double> told(paths.now.begin(), paths.now.end());
    CHECK(recent_paths::mean(paths.now) == std::accumulate(lengths.begin(), lengths.end(), 0.0) / 64);
    const double longest = *std::max_element(lengths.begin(), lengths.end());
    CHECK(recent_paths::longest(paths.now) == std::max(longest, 0.0));
    std::sort(lengths.begin(), lengths.end());
    std::sort(told.begin(), told.end());
    CHECK(told == lengths);
  }
  CHECK(known.size() == recent_paths::places);
}
