// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/weighted_cuts.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "stage_chains.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::detail::weighted_cuts;
using stagecut::engine::coarse_ticks;
using stagecut::engine::layered_graph;
using stagecut::engine::no_ticks;
using stagecut::engine::tick_b;
using stagecut::engine::tick_f;
using stagecut::engine::tick_kinds;
using stagecut::engine::tick_message;
using stagecut::engine::tick_w;

namespace {

/// How long it is for a cut.
double length_of(const coarse_ticks& ticks, std::size_t stages, const std::vector<double>& counts,
                 const chains::points& cut) {
  double sum = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    const double* const here = counts.data() + s * tick_kinds;
    for (const auto kind : {tick_f, tick_b, tick_w}) sum += here[kind] * ticks.pass(kind, s, cut[s], cut[s + 1]);
    sum += here[tick_message] * ticks.message(s, cut[s + 1]);
  }
  return sum;
}

}  // namespace

TEST_CASE("the least length over cuts, where it is, and through every edge") {
  dice random(1);
  std::size_t raised = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const chain of = random.once_in(2) ? chains::next_pair_chain(random, 10) : chains::next_chain(random, 10);
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      layered_graph graph = bench.graph(no_ticks, false);
      if (bench.layout.kind == stagecut::engine::stage_layout::shape::chain && bench.checked.has_rank_rules()) return;
      const coarse_ticks coarse(bench.ticks, of.request.schedule.microbatches * of.request.schedule.slices);
      const std::size_t stages = bench.ticks.stages;
      std::vector<double> counts(stages * tick_kinds);
      for (double& count : counts) {
        const auto most = static_cast<std::size_t>(coarse_ticks::parts) * of.request.schedule.microbatches;
        count = static_cast<double>(random.below(most)) / coarse_ticks::parts;
      }
      weighted_cuts cuts(coarse, bench.layout, bench.ticks.items);
      cuts.set(counts);
      const double least = cuts.least(graph);
      std::vector<double> bounds(graph.edges.size(), no_ticks);
      double expected = no_ticks;
      for (const auto& [makespan, cut] : all) {
        const double here = length_of(coarse, stages, counts, cut);
        expected = std::min(expected, here);
        for (const std::size_t i : chains::path_of(graph, bench.layout, cut)) bounds[i] = std::min(bounds[i], here);
      }
      CHECK(least == expected);
      chains::points cut(stages + 1);
      REQUIRE(cuts.least_cut(graph, cut));
      CHECK(length_of(coarse, stages, counts, cut) == expected);
      const double known = random.once_in(2) ? expected * 1.1 : 0;
      for (auto& edge : graph.edges) edge.bound = known;
      cuts.raise(graph);
      bool same = true;
      for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        same = same && graph.edges[i].bound == (bounds[i] > known ? std::ceil(bounds[i]) : known);
        if (bounds[i] > known) ++raised;
      }
      CHECK(same);
      // Without edges there are no cuts.
      graph.edges.clear();
      graph.index();
      CHECK(cuts.least(graph) == no_ticks);
      CHECK_FALSE(cuts.least_cut(graph, cut));
    });
  }
  CHECK(raised > 1000);
}
