// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/gpipe_cut.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "random_chains.hpp"
#include "requests.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::schedule_kind;
using stagecut::transfer_kind;
using stagecut::detail::gpipe_cut;
using stagecut::engine::no_ticks;

namespace {

/// Compares GPipe's cuts with all of them; returns how many differ.
int wrong(std::uint64_t seed, std::size_t least_microbatches, std::size_t most_microbatches) {
  dice random(seed);
  int result = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::size_t m = random.from(least_microbatches, most_microbatches);
    const auto order = stagecut::make_schedule(schedule_kind::gpipe, {.ranks = random.from(1, 5), .microbatches = m});
    chain of = chains::random_chain(random, order, 11, {true, true, true, true});
    of.request.transfers = random.once_in(2) ? transfer_kind::latency : transfer_kind::link;
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      const bool serial = bench.ticks.has_messages && of.request.transfers == transfer_kind::link;
      const double known = random.once_in(2) ? no_ticks : all.back().first / bench.ticks.tick;
      const auto graph = bench.graph(known);
      gpipe_cut solver(bench.ticks, m, serial, graph);
      const bool same = solver.run(known, bench.clock) && solver.makespan * bench.ticks.tick == all[0].first &&
                        solver.points == all[0].second;
      if (!same) ++result;
    });
  }
  return result;
}

}  // namespace

TEST_CASE("GPipe's best cut, the lexicographically smallest") { CHECK(wrong(1, 2, 12) == 0); }

TEST_CASE("GPipe's best cut for one microbatch") { CHECK(wrong(2, 1, 1) == 0); }

TEST_CASE("no better cut than the one that is known, and no time to look") {
  const std::vector<double> forward{8, 11, 2, 1, 18, 5, 4, 11};
  chain of{chains::layers(forward, forward, {}, {}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(schedule_kind::gpipe, {.ranks = 4, .microbatches = 8});
  const double least = chains::all_cuts(of)[0].first;
  chains::with_workbench(of, [&](auto& bench) {
    const auto graph = bench.graph(no_ticks);
    gpipe_cut better(bench.ticks, 8, false, graph);
    const double below = least / bench.ticks.tick - 1;
    CHECK(better.run(below, bench.clock));
    CHECK(better.points.empty());
    CHECK(better.makespan == below);
    stagecut::engine::search_clock late(chains::no_time);
    gpipe_cut hurried(bench.ticks, 8, false, graph);
    CHECK_FALSE(hurried.run(no_ticks, late));
  });
}
