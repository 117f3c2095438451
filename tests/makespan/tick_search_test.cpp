// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/tick_search.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "random_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::state;
using stagecut::detail::tick_search;
using stagecut::engine::incumbent;

TEST_CASE("a cut to begin with, the best makespan with its proof, then the ties") {
  dice random(1);
  int searched = 0;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {10, 4, 8}), 10, {});
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      tick_search search(bench.ticks, of.request, bench.checked, bench.clock, best);
      CHECK_FALSE(search.settle_ties());  // nothing is proved
      CHECK(search.begin() == (all.empty() ? state::infeasible : state::feasible));
      if (all.empty()) return;
      ++searched;
      search.run();
      CHECK(best.proved());
      CHECK(best.makespan() * bench.ticks.tick == all[0].first);
      CHECK(search.settle_ties());
      CHECK(search.space().holds(best.makespan()));
      CHECK(best.makespan() * bench.ticks.tick == all[0].first);
      CHECK(best.points() == chains::best_of(of, all));
      CHECK(search.simulator()(best.points()) == best.makespan());
    });
  }
  CHECK(searched > 100);
}
