// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/stage_graph.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "requests.hpp"
#include "stage_chains.hpp"

using chains::chain;
using chains::listed;
using chains::next_chain;
using chains::valued;
using oracle::dice;
using stagecut::schedule_kind;
using stagecut::detail::stage_graph;
using stagecut::engine::layered_graph;
using stagecut::engine::no_ticks;

TEST_CASE("a graph for a makespan has all cuts of that makespan or less") {
  const chains::tally found = chains::tally_of_limited_graphs(2, next_chain);
  CHECK(found.wrong == 0);
  CHECK(found.chains > 500);
  CHECK(found.cuts > 3000);
}

TEST_CASE("without a limit there is a path for every cut that is allowed") {
  dice random(3);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    chain of = next_chain(random, 10);
    if (of.request.schedule.stages() != of.request.schedule.ranks()) of.request.memory_limit = {};
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      if (bench.checked.has_rank_rules()) return;
      CHECK(chains::paths_of(bench.graph(no_ticks), of.request.schedule.stages()) == static_cast<double>(all.size()));
    });
  }
}

TEST_CASE("below the least makespan nothing may be left, and nothing is below 0") {
  const chain of = listed(schedule_kind::one_forward_one_backward, 0);
  chains::with_workbench(of, [&](auto& bench) {
    CHECK(bench.graph(0).edges.empty());
    CHECK(bench.graph(557 / bench.ticks.tick).edges.empty());
    layered_graph graph = bench.graph(573 / bench.ticks.tick);
    const stage_graph stages(bench.ticks, of.request.schedule, of.request.transfers, bench.checked);
    CHECK(stages.refine(graph, 573 / bench.ticks.tick, bench.clock));
    CHECK_FALSE(stages.refine(graph, 500 / bench.ticks.tick, bench.clock));
    CHECK(graph.edges.empty());
  });
}

TEST_CASE("a graph that is too large, or takes too long, is not built") {
  chain of = listed(schedule_kind::one_forward_one_backward, 0);
  chains::with_workbench(of, [&](auto& bench) {
    const stage_graph stages(bench.ticks, of.request.schedule, of.request.transfers, bench.checked);
    CHECK(stages.in_flight() == std::vector<std::size_t>{4, 3, 2, 1});
    layered_graph graph;
    CHECK(stages.build(no_ticks, 1000, bench.clock, graph));
    CHECK_FALSE(stages.build(no_ticks, 10, bench.clock, graph));
    stagecut::engine::search_clock late(chains::no_time);
    CHECK_FALSE(stages.build(no_ticks, 1000, late, graph));
  });
  of = listed(schedule_kind::zb_h1, 0);
  chains::with_workbench(of, [&](auto& bench) {
    CHECK_FALSE(stage_graph(bench.ticks, of.request.schedule, of.request.transfers, bench.checked).in_flight());
  });
}
