// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/path_completions.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "random_chains.hpp"
#include "requests.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::schedule_kind;
using stagecut::detail::path_completions;
using stagecut::engine::layered_graph;
using stagecut::engine::no_ticks;
using stagecut::engine::path_pool;

namespace {

/// Fills a pool with the critical paths of some cuts.
template <class Bench>
void learn(Bench& bench, const std::vector<valued>& all, path_pool& pool, std::size_t most) {
  std::vector<double> counts;
  for (std::size_t i = 0; i < all.size() && pool.size() < most; i += 1 + all.size() / most) {
    bench.simulate(all[i].second);
    bench.simulate.count_critical(counts);
    if (pool.find(counts) == pool.capacity()) pool.put(pool.size(), counts);
  }
}

}  // namespace

TEST_CASE("completions are shortest paths, one or all of them") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {10, 4, 8}), 10, {});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      path_pool pool(bench.ticks, bench.layout, 16);
      learn(bench, all, pool, 10);
      const layered_graph graph = bench.graph(no_ticks, false);
      path_completions rest(pool, bench.layout.steps());
      CHECK(rest.fill(graph, bench.clock));
      // Over the cuts that the graph stands for, if ranks have no rules that it does not know.
      std::vector<double> least(pool.size(), no_ticks);
      for (const valued& each : all) {
        const auto path = chains::path_of(graph, bench.layout, each.second);
        for (std::size_t j = 0; j < pool.size(); ++j) {
          double sum = 0;
          for (const std::size_t i : path) {
            sum += pool.weight(graph.nodes[graph.edges[i].from], graph.nodes[graph.edges[i].to], j);
          }
          least[j] = std::min(least[j], sum);
        }
      }
      const bool knows_all =
          bench.layout.kind != stagecut::engine::stage_layout::shape::chain || !bench.checked.has_rank_rules();
      bool sound = true;
      for (std::size_t j = 0; j < pool.size(); ++j) {
        sound = sound && (knows_all ? rest[0][j] == least[j] : rest[0][j] <= least[j]);
      }
      CHECK(sound);
      // One by one the same.
      path_completions other(pool, bench.layout.steps());
      CHECK(other.fill(graph, bench.clock));
      for (std::size_t j = 0; j < pool.size(); ++j) other.fill_one(graph, j);
      for (std::uint32_t u = 0; u < graph.nodes.size(); ++u) {
        for (std::size_t j = 0; j < pool.size(); ++j) sound = sound && rest[u][j] == other[u][j];
      }
      CHECK(sound);
    });
  }
}

TEST_CASE("a filter keeps all cuts of that makespan or less") {
  dice random(2);
  std::size_t removed = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {10, 4, 8}), 10, {});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      path_pool pool(bench.ticks, bench.layout, 16);
      learn(bench, all, pool, random.below(16));
      layered_graph graph = bench.graph(no_ticks, false);
      for (auto& edge : graph.edges) edge.bound = 0;
      const std::size_t edges = graph.edges.size();
      path_completions rest(pool, bench.layout.steps());
      const double most = all[random.below(1 + all.size() / 2)].first / bench.ticks.tick;
      CHECK(rest.filter(graph, most, bench.clock));
      removed += edges - graph.edges.size();
      bool sound = true;
      for (const valued& each : all) {
        if (each.first / bench.ticks.tick > most) break;
        sound = sound && !chains::path_of(graph, bench.layout, each.second).empty();
      }
      CHECK(sound);
      // What remains is filled for the edges that are left.
      path_completions fresh(pool, bench.layout.steps());
      CHECK(fresh.fill(graph, bench.clock));
      for (std::uint32_t u = 0; u < graph.nodes.size(); ++u) {
        for (std::size_t j = 0; j < pool.padded(); ++j) sound = sound && rest[u][j] == fresh[u][j];
      }
      CHECK(sound);
      if (pool.size() != 0) CHECK_FALSE(rest.filter(graph, -1, bench.clock));
    });
  }
  CHECK(removed > 1000);
}

TEST_CASE("no time to fill") {
  const std::vector<double> ones(6, 1);
  chain of{chains::layers(ones, ones, {}, {}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(schedule_kind::gpipe, {.ranks = 2, .microbatches = 2});
  chains::with_workbench(of, [&](auto& bench) {
    path_pool pool(bench.ticks, bench.layout, 8);
    path_completions rest(pool, bench.layout.steps());
    stagecut::engine::search_clock late(chains::no_time);
    layered_graph graph = bench.graph(no_ticks);
    CHECK_FALSE(rest.fill(graph, late));
    CHECK(rest.filter(graph, 0, late));
  });
}
