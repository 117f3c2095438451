// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/stage_bounds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "stage_chains.hpp"

using chains::bound_of;
using chains::chain;
using chains::listed;
using chains::next_chain;
using chains::valued;
using oracle::dice;
using stagecut::detail::layered_graph;
using stagecut::detail::no_ticks;
using stagecut::schedule_kind;

namespace {

double least_bound(schedule_kind kind, double latency) {
  const chain of = listed(kind, latency);
  double result = 0;
  chains::with_workbench(of, [&](auto& bench) { result = bench.graph(no_ticks).least_bound() * bench.ticks.tick; });
  return result;
}

}  // namespace

TEST_CASE("no edge's bound is above the makespan of a cut that uses it") {
  dice random(1);
  std::size_t cuts = 0;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const chain of = next_chain(random, 11);
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      const layered_graph graph = bench.graph(no_ticks);
      bool sound = true;
      for (const auto& [makespan, cut] : all) {
        const double bound = bound_of(graph, bench.layout, cut);
        sound = sound && bound >= 0 && bound <= makespan / bench.ticks.tick;
      }
      CHECK(sound);
    });
    cuts += all.size();
  }
  CHECK(cuts > 10000);
}

// notes/bounds.md, section 9.
TEST_CASE("the least bounds of a listed chain are at least the listed ones, and at most its optima") {
  const auto between = [](double low, double found, double high) { return low <= found && found <= high; };
  CHECK(between(519, least_bound(schedule_kind::gpipe, 0), 600));
  CHECK(between(523, least_bound(schedule_kind::gpipe, 2), 612));
  CHECK(between(558, least_bound(schedule_kind::one_forward_one_backward, 0), 573));
  CHECK(between(573, least_bound(schedule_kind::one_forward_one_backward, 2), 589));
  CHECK(between(519, least_bound(schedule_kind::eager_one_forward_one_backward, 0), 543));
  CHECK(between(523, least_bound(schedule_kind::eager_one_forward_one_backward, 2), 547));
  CHECK(between(519, least_bound(schedule_kind::zb_h1, 0), 520));
  CHECK(least_bound(schedule_kind::zb_h1, 2) == 526);
  CHECK(least_bound(schedule_kind::zb_h2, 0) == 504);
  CHECK(least_bound(schedule_kind::zb_h2, 2) == 504);
}
