// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/path_pool.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "../makespan/random_chains.hpp"

namespace engine = stagecut::engine;
using chains::chain;
using oracle::dice;
using stagecut::schedule_kind;
using stagecut::engine::layered_graph;
using stagecut::engine::no_ticks;
using stagecut::engine::path_pool;
using stagecut::engine::tick_kinds;

TEST_CASE("a path is no longer than the makespan of any cut, and as long as that of its own") {
  dice random(1);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {10, 4, 8}), 10, {});
    const auto all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      engine::path_pool pool(bench.ticks, bench.layout, 16);
      const engine::layered_graph graph = bench.graph(engine::no_ticks, false);
      std::vector<double> counts;
      std::vector<double> of_own;
      for (std::size_t i = 0; i < all.size() && pool.size() < 16; i += 1 + all.size() / 16) {
        const double makespan = bench.simulate(all[i].second);
        bench.simulate.count_critical(counts);
        if (pool.find(counts) != pool.capacity()) continue;
        pool.put(pool.size(), counts);
        of_own.push_back(makespan);
        CHECK(pool.find(counts) == pool.size() - 1);
        CHECK(chains::path_of(graph, bench.layout, all[i].second).size() == bench.layout.steps());
      }
      bool sound = true;
      std::vector<char> met(pool.size());
      std::vector<double> weights(pool.capacity());
      for (const auto& [makespan, cut] : all) {
        std::vector<double> lengths(pool.padded());
        for (const std::size_t i : chains::path_of(graph, bench.layout, cut)) {
          const auto& from = graph.nodes[graph.edges[i].from];
          const auto& to = graph.nodes[graph.edges[i].to];
          pool.weigh(from, to, weights.data());
          for (std::size_t j = 0; j < pool.padded(); ++j) {
            lengths[j] += weights[j];
            sound = sound && weights[j] == (j < pool.size() ? pool.weight(from, to, j) : 0);
          }
        }
        for (std::size_t j = 0; j < pool.padded(); ++j) {
          sound = sound && lengths[j] <= makespan / bench.ticks.tick;
          if (j < pool.size() && lengths[j] == of_own[j]) met[j] = 1;
        }
      }
      for (const char each : met) sound = sound && each != 0;
      CHECK(sound);
    });
  }
}

TEST_CASE("places of paths") {
  const std::vector<double> ones(6, 1);
  chain of{chains::layers(ones, ones, {}, {}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(schedule_kind::one_forward_one_backward, {.ranks = 2, .microbatches = 2});
  chains::with_workbench(of, [&](auto& bench) {
    engine::path_pool pool(bench.ticks, bench.layout, 10);
    CHECK(pool.capacity() == 16);  // whole groups
    CHECK(pool.size() == 0);
    CHECK(pool.padded() == 0);
    std::vector<double> counts(2 * engine::tick_kinds);
    CHECK(pool.find(counts) == pool.capacity());
    for (std::size_t i = 0; i < 9; ++i) {
      counts[0] = static_cast<double>(i + 1);
      pool.put(i, counts);
      CHECK(pool.use(i) == 1);
    }
    CHECK(pool.size() == 9);
    CHECK(pool.padded() == 16);
    CHECK(pool.find(counts) == 8);
    const auto before = pool.version(3);
    counts[0] = 100;
    pool.use(3) = 0.5;
    pool.put(3, counts);
    CHECK(pool.size() == 9);
    CHECK(pool.version(3) != before);
    CHECK(pool.use(3) == 1);
    CHECK(pool.find(counts) == 3);
    counts[0] = 4;
    CHECK(pool.find(counts) == pool.capacity());  // its place was taken
    CHECK(pool.weight({0, {0, 0, 0}}, {1, {0, 3, 0}}, 3) * bench.ticks.tick == 300);
    CHECK(pool.weight({1, {0, 3, 0}}, {2, {0, 6, 0}}, 3) == 0);
  });
}
