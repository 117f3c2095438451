// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/path_means.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "requests.hpp"
#include "stage_chains.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::view;
using stagecut::detail::path_means;
using stagecut::engine::layered_graph;
using stagecut::engine::no_ticks;

namespace {

std::size_t passes(const chain& of) { return of.request.schedule.microbatches * of.request.schedule.slices; }

}  // namespace

TEST_CASE("means of paths remove no cut of that makespan or less, and bound none above its own") {
  dice random(1);
  std::size_t cuts = 0;
  std::size_t removed = 0;
  std::size_t bounded = 0;
  std::size_t refuted = 0;
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const chain of = random.once_in(4) ? chains::next_chain(random, 11) : chains::next_pair_chain(random, 11);
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      path_means means(bench.ticks, passes(of), bench.layout, bench.simulate, bench.clock);
      // Several graphs one after the other: what was learned stays.
      for (int time = 0; time < 3; ++time) {
        layered_graph graph = bench.graph(no_ticks, false);
        for (auto& edge : graph.edges) edge.bound = 0;
        const std::size_t edges = graph.edges.size();
        const double optimum = all[0].first / bench.ticks.tick;
        const double most = time == 2 ? optimum - 1 : all[random.below(1 + all.size() / 3)].first / bench.ticks.tick;
        bool sound = true;
        means.thin(graph, most, [&](view<const std::size_t> points, double makespan) {
          sound = sound && makespan == bench.simulate(points);
        });
        for (const auto& [makespan, cut] : all) {
          const double bound = chains::bound_of(graph, bench.layout, cut);
          sound = sound && bound <= makespan / bench.ticks.tick;
          if (bound > 0) ++bounded;
          if (makespan / bench.ticks.tick > most) continue;
          sound = sound && bound >= 0;
          ++cuts;
        }
        CHECK(sound);
        REQUIRE(graph.first.size() == graph.nodes.size() + 1);
        removed += edges - graph.edges.size();
        if (time == 2 && graph.edges.empty()) ++refuted;
      }
    });
  }
  CHECK(cuts > 3000);
  CHECK(removed > 3000);
  CHECK(bounded > 3000);
  CHECK(refuted > 100);
}

TEST_CASE("no time for means") {
  dice random(2);
  const chain of = chains::next_pair_chain(random, 10);
  chains::with_workbench(of, [&](auto& bench) {
    stagecut::engine::search_clock late(chains::no_time);
    path_means means(bench.ticks, passes(of), bench.layout, bench.simulate, late);
    layered_graph graph = bench.graph(no_ticks);
    const std::size_t edges = graph.edges.size();
    means.thin(graph, 0, [](view<const std::size_t>, double) {});
    CHECK(graph.edges.size() == edges);
  });
}
