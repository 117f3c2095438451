// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/pair_graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "requests.hpp"
#include "stage_chains.hpp"

using chains::bound_of;
using chains::chain;
using chains::next_pair_chain;
using chains::valued;
using oracle::dice;
using stagecut::detail::pair_bounds;
using stagecut::detail::pair_graph;
using stagecut::detail::pair_limits;
using stagecut::engine::layered_graph;
using stagecut::engine::no_ticks;
using stagecut::schedule_kind;

TEST_CASE("two stages a rank: a graph for a makespan has all cuts of that makespan or less") {
  const chains::tally found = chains::tally_of_limited_graphs(2, next_pair_chain);
  CHECK(found.wrong == 0);
  CHECK(found.chains > 500);
  CHECK(found.cuts > 3000);
}

TEST_CASE("two stages a rank: without a limit there is a path for every cut that is allowed") {
  dice random(3);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const chain of = next_pair_chain(random, 10);
    const auto all = static_cast<double>(chains::all_cuts(of).size());
    chains::with_workbench(of, [&](auto& bench) {
      CHECK(chains::paths_of(bench.graph(no_ticks), bench.layout.steps()) == all);
      CHECK(chains::paths_of(bench.graph(no_ticks, false), bench.layout.steps()) == all);
    });
  }
}

// With messages that differ, a longer stage may wait less; and of the last two stages one grows as the other shrinks.
TEST_CASE("a stage that is too slow does not rule out a longer one") {
  chain of{chains::layers({6, 6, 6, 6}, {6, 6, 6, 6}, {}, {4, 4, 400, 4}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(schedule_kind::interleaved, {.ranks = 1, .stages_per_rank = 2, .microbatches = 2});
  of.speeds = {3, 1};
  std::vector<valued> all = chains::all_cuts(of);
  REQUIRE(all[0].second == chains::points{0, 3, 4});
  chains::with_workbench(of, [&](auto& bench) {
    CHECK(bound_of(bench.graph(all[0].first / bench.ticks.tick), bench.layout, all[0].second) >= 0);
  });
  // A message of 400 behind layer 2.
  chain sent{
      chains::layers(std::vector<double>(6, 6), std::vector<double>(6, 6), {}, {4, 4, 4, 400, 4, 4}), {}, {}, {}};
  sent.request.schedule =
      stagecut::make_schedule(schedule_kind::interleaved, {.ranks = 2, .stages_per_rank = 2, .microbatches = 2});
  sent.request.links = {{0, 1}};
  all = chains::all_cuts(sent);
  chains::with_workbench(sent, [&](auto& bench) {
    CHECK(bound_of(bench.graph(all[0].first / bench.ticks.tick), bench.layout, all[0].second) >= 0);
  });
}

TEST_CASE("a graph of pairs that is too large, or takes too long, is not built") {
  dice random(4);
  for (const schedule_kind kind : {schedule_kind::interleaved, schedule_kind::zbv}) {
    chain of =
        chains::random_chain(random, chains::random_order(random, kind, {8, 4, 9, 2}), 8, {false, false, false, false});
    of.request.schedule = stagecut::make_schedule(kind, {.ranks = 2, .stages_per_rank = 2, .microbatches = 4});
    of.model = chains::layers(std::vector<double>(9, 1), std::vector<double>(9, 2), std::vector<double>(9, 1), {});
    chains::with_workbench(of, [&](auto& bench) {
      pair_graph pairs(bench.ticks, of.request.schedule, bench.layout, bench.checked);
      layered_graph graph;
      CHECK(pairs.build(no_ticks, 10000, bench.clock, graph));
      CHECK_FALSE(graph.edges.empty());
      CHECK_FALSE(pairs.build(no_ticks, 3, bench.clock, graph));
      stagecut::engine::search_clock late(chains::no_time);
      CHECK_FALSE(pairs.build(no_ticks, 10000, late, graph));
      // Below the least makespan nothing may be left; a graph of nothing can be asked all the same.
      CHECK(pairs.build(0, 10000, bench.clock, graph));
      CHECK(graph.edges.empty());
      REQUIRE(graph.first.size() == graph.nodes.size() + 1);
    });
  }
}

TEST_CASE("no second stage is left out that is short enough, and in the end few are left in that are not") {
  dice random(1);
  std::size_t asked = 0;
  std::size_t loose = 0;
  std::size_t none = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const chain of = chains::next_pair_chain(random, 12);
    const bool vee = stagecut::engine::stage_layout(of.request.schedule).kind == chains::stage_layout::shape::vee;
    const std::size_t n = of.model.size();
    const std::size_t p = of.request.schedule.ranks();
    if (vee || p < 2 || n < 2 * p + 2) continue;
    chains::with_workbench(of, [&](auto& bench) {
      pair_bounds bounds(bench.ticks, of.request.schedule, bench.layout);
      if (!bounds.steady()) return;
      pair_limits limits;
      bool sound = true;
      for (std::uint32_t x = static_cast<std::uint32_t>(p); x + p <= n; ++x) {
        const layered_graph::node u{1, {x, 0, x}};
        const auto end = [&](std::size_t width) {
          return layered_graph::node{2, {x, 1, static_cast<std::uint32_t>(x + width)}};
        };
        const std::size_t last = n - p + 1 - x;
        const double most = bounds(u, end(1 + random.below(last))) - (random.once_in(2) ? 1 : 0);
        std::size_t expected = 0;
        while (expected < last && bounds(u, end(expected + 1)) <= most) ++expected;
        std::size_t widest = last;
        std::size_t choices = 0;
        const bool any = limits.narrow(bounds, u, end, most, 1, widest, choices);
        for (std::size_t width = 1; width <= last; ++width) {
          const bool is = bounds(u, end(width)) > most;
          sound = sound && (is || !limits.above(bounds, u, end(width), most, choices));
        }
        sound = sound && choices != 0 && (any ? widest >= expected : expected == 0);
        ++asked;
        if (any && widest > expected) ++loose;
        if (!any) ++none;
      }
      CHECK(sound);
    });
  }
  CHECK(asked > 100);
  CHECK(none > 10);
  CHECK(loose < asked / 4);
}
