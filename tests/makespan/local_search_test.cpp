// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/local_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "random_chains.hpp"
#include "requests.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::detail::local_search;
using stagecut::schedule_kind;
using stagecut::view;

TEST_CASE("a cut becomes no worse, stays allowed, and has the makespan that is said") {
  dice random(2);
  int better = 0;
  int best_already = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    chain of = chains::random_chain(random, chains::random_order(random, kind, {11, 4, 8}), 11, {});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    const bool lies = random.once_in(2);
    const auto evaluator = [&](view<const std::size_t>, view<double> makespans) {
      for (double& each : makespans) each = random.fraction();
    };
    if (lies) of.request.limits.evaluator = evaluator;
    chains::with_workbench(of, [&](auto& bench) {
      const valued& begin = all[random.below(all.size())];
      points best = begin.second;
      double makespan = begin.first / bench.ticks.tick;
      local_search search(of.request.order, bench.checked, bench.simulate, bench.clock, of.request.limits.evaluator);
      search(best, makespan, 0, 300);
      const valued found{makespan * bench.ticks.tick, best};
      CHECK(std::find(all.begin(), all.end(), found) != all.end());
      CHECK(found.first <= begin.first);
      if (found.first < begin.first) ++better;
      if (begin.first == all[0].first) ++best_already;
    });
  }
  CHECK(better > (290 - best_already) / 2);
}

TEST_CASE("it stops at the goal, after its tries, when the time is over, and where there is nothing to move") {
  const std::vector<double> forward{8, 11, 2, 1, 18, 5, 4, 11};
  chain of{chains::layers(forward, forward, {}, {}), {}, {}, {}};
  of.request.order = stagecut::make_schedule(schedule_kind::one_forward_one_backward, {.ranks = 4, .microbatches = 8});
  chains::with_workbench(of, [&](auto& bench) {
    local_search search(of.request.order, bench.checked, bench.simulate, bench.clock, {});
    points best{0, 1, 2, 3, 8};
    double makespan = bench.simulate(best);
    const points begin = best;
    search(best, makespan, makespan, 100);
    CHECK(best == begin);
    search(best, makespan, 0, 0);
    CHECK(best == begin);
    CHECK(bench.simulate.simulations == 1);
    search(best, makespan, 0, 100);
    CHECK(best != begin);
    CHECK(bench.simulate.simulations <= 101);
    stagecut::detail::search_clock late(chains::no_time);
    local_search hurried(of.request.order, bench.checked, bench.simulate, late, {});
    best = begin;
    makespan = bench.simulate(begin);
    hurried(best, makespan, 0, 100);
    CHECK(best == begin);
  });
  of.request.order = stagecut::make_schedule(schedule_kind::one_forward_one_backward, {.ranks = 1, .microbatches = 8});
  chains::with_workbench(of, [&](auto& bench) {
    local_search search(of.request.order, bench.checked, bench.simulate, bench.clock, {});
    points best{0, 8};
    double makespan = bench.simulate(best);
    search(best, makespan, 0, 100);
    CHECK(bench.simulate.simulations == 1);
  });
}
