// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/cut_search.hpp>

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
using stagecut::schedule;
using stagecut::view;
using stagecut::detail::cut_search;
using stagecut::engine::layered_graph;
using stagecut::engine::no_ticks;
using stagecut::engine::path_pool;

namespace {

constexpr std::size_t any_number = ~std::size_t{0} / 2;

chain next_chain(dice& random, std::size_t most_items) {
  for (;;) {
    schedule order = chains::random_order(random, chains::any_kind(random), {most_items, 5, 9});
    if (random.once_in(5)) order = oracle::random_schedule(random, oracle::written_transfers::none, true);
    if (order.stages() > most_items) continue;
    return chains::random_chain(random, order, most_items, {});
  }
}

/// A graph of all cuts, without any bounds.
template <class Bench>
layered_graph blind(Bench& bench) {
  layered_graph graph = bench.graph(no_ticks, false);
  for (auto& edge : graph.edges) edge.bound = 0;
  return graph;
}

}  // namespace

TEST_CASE("paths and what is remembered of them find the best cut, and prove it, without any other bound") {
  dice random(1);
  int searched = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const chain of = next_chain(random, 12);
    const std::vector<valued> all = chains::all_cuts(of);
    if (!all.empty() && all[0].first == 0) continue;  // a makespan below that would say stop
    chains::with_workbench(of, [&](auto& bench) {
      path_pool pool(bench.ticks, bench.layout, random.once_in(2) ? 16 : 8);
      cut_search search(bench.ticks, of.request.schedule, bench.layout, bench.checked, bench.simulate, pool, bench.clock);
      points best;
      double least = no_ticks;
      const auto better = [&](view<const std::size_t> cut, double makespan) {
        best.assign(cut.begin(), cut.end());
        least = makespan;
        return makespan - 1;
      };
      layered_graph graph = blind(bench);
      CHECK(search(graph, no_ticks / 2, any_number, true, better) == cut_search::result::none);
      CHECK(best.empty() == all.empty());
      if (all.empty()) return;
      CHECK(least * bench.ticks.tick == all[0].first);
      ++searched;
      // Once more with what was learned, of this and of other makespans.
      const double optimum = all[0].first / bench.ticks.tick;
      for (const double most : {optimum - 1, optimum, no_ticks / 2}) {
        least = no_ticks;
        layered_graph again = blind(bench);
        CHECK(search(again, most, any_number, true, better) == cut_search::result::none);
        CHECK(least == (most < optimum ? no_ticks : optimum));
      }
    });
  }
  CHECK(searched > 1000);
}

TEST_CASE("all cuts up to a makespan, each once") {
  dice random(2);
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const chain of = next_chain(random, 11);
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      path_pool pool(bench.ticks, bench.layout, 16);
      cut_search search(bench.ticks, of.request.schedule, bench.layout, bench.checked, bench.simulate, pool, bench.clock);
      const double most = all[random.below(all.size())].first / bench.ticks.tick;
      std::vector<valued> found;
      const auto keep = [&](view<const std::size_t> cut, double makespan) {
        found.emplace_back(makespan * bench.ticks.tick, points(cut.begin(), cut.end()));
        return most;
      };
      layered_graph graph = random.once_in(2) ? blind(bench) : bench.graph(most);
      CHECK(search(graph, most, any_number, random.once_in(2), keep) == cut_search::result::none);
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      std::vector<valued> expected;
      for (const valued& each : all) {
        if (each.first / bench.ticks.tick <= most) expected.push_back(each);
      }
      CHECK(found == expected);
    });
  }
}

TEST_CASE("a search stops when it is told so, and gives up after so many partial cuts, or when the time is over") {
  dice random(3);
  int gave_up = 0;
  for (int round = 0; round < 100; ++round) {
    const chain of = next_chain(random, 11);
    if (chains::all_cuts(of).empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      path_pool pool(bench.ticks, bench.layout, 16);
      cut_search search(bench.ticks, of.request.schedule, bench.layout, bench.checked, bench.simulate, pool, bench.clock);
      const auto stop = [](view<const std::size_t>, double) { return -1.0; };
      layered_graph graph = blind(bench);
      CHECK(search(graph, no_ticks / 2, any_number, true, stop) == cut_search::result::found);
      const auto go_on = [](view<const std::size_t>, double makespan) { return makespan - 1; };
      graph = blind(bench);
      if (search(graph, no_ticks / 2, 1, false, go_on) == cut_search::result::gave_up) ++gave_up;
      stagecut::engine::search_clock late(chains::no_time);
      cut_search hurried(bench.ticks, of.request.schedule, bench.layout, bench.checked, bench.simulate, pool, late);
      graph = blind(bench);
      CHECK(hurried(graph, no_ticks / 2, any_number, true, go_on) == cut_search::result::gave_up);
    });
  }
  CHECK(gave_up > 20);
}

TEST_CASE("a graph without edges has no cut") {
  dice random(4);
  const chain of = next_chain(random, 8);
  chains::with_workbench(of, [&](auto& bench) {
    path_pool pool(bench.ticks, bench.layout, 8);
    cut_search search(bench.ticks, of.request.schedule, bench.layout, bench.checked, bench.simulate, pool, bench.clock);
    layered_graph graph;
    const auto none = [](view<const std::size_t>, double) { return -1.0; };
    CHECK(search(graph, no_ticks / 2, any_number, true, none) == cut_search::result::none);
  });
}
