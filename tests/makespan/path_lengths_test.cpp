// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/path_lengths.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random_chains.hpp"

using chains::chain;
using stagecut::detail::path_completions;
using stagecut::detail::path_lengths;
using stagecut::engine::layered_graph;
using stagecut::engine::no_ticks;
using stagecut::engine::path_pool;
using stagecut::engine::tick_b;
using stagecut::engine::tick_f;
using stagecut::engine::tick_kinds;

namespace {

constexpr double none = path_lengths::no_condition;

/// Calls `use(pool, rest, graph)` for eight items of 1 forward and 2 backward in three stages, with no path in the pool.
template <class Use>
void with_pool(const Use& use) {
  chain of{chains::layers(std::vector<double>(8, 1), std::vector<double>(8, 2), {}, {}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(stagecut::schedule_kind::gpipe, {.ranks = 3, .microbatches = 4});
  chains::with_workbench(of, [&](auto& bench) {
    path_pool pool(bench.ticks, bench.layout, 8);
    const layered_graph graph = bench.graph(no_ticks, false);
    path_completions rest(pool, bench.layout.steps());
    REQUIRE(rest.fill(graph, bench.clock));
    use(pool, rest, graph);
  });
}

/// How often a path passes each stage, forward and backward.
std::vector<double> passing(double f, double b) {
  std::vector<double> counts(3 * tick_kinds);
  for (std::size_t s = 0; s < 3; ++s) counts[s * tick_kinds + tick_f] = f, counts[s * tick_kinds + tick_b] = b;
  return counts;
}

/// The node behind `u` whose cut point is `cut`.
std::uint32_t behind(const layered_graph& graph, std::uint32_t u, std::uint32_t cut) {
  for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
    if (graph.nodes[graph.edges[i].to].cut[1] == cut) return graph.edges[i].to;
  }
  FAIL("no such node");
  return 0;
}

}  // namespace

TEST_CASE("lengths of paths add up along a way, and the rest is the shortest there is") {
  with_pool([](path_pool& pool, path_completions& rest, const layered_graph& graph) {
    path_lengths lengths(pool, rest, 3);
    lengths.restart();
    lengths.forget_conditions(0);
    CHECK(lengths.put(0, passing(1, 0), graph) == 0);
    CHECK(lengths.put(0, passing(1, 2), graph) == 1);
    CHECK(lengths.put(0, passing(1, 0), graph) == 0);  // it is there already
    const double per_item[] = {1, 5};
    const std::vector<std::uint32_t> way{0, behind(graph, 0, 3), behind(graph, behind(graph, 0, 3), 5)};
    // All items are passed as often, so that no cut is longer than another.
    const double unit = lengths.longest(0, graph, way[0], way[1]) / (5 * 8);
    lengths.go_on(0);
    CHECK(lengths.longest(1, graph, way[1], way[2]) == 5 * 8 * unit);
    lengths.go_on(1);
    for (std::size_t j = 0; j < 2; ++j) {
      CHECK(lengths.of_edge(0)[j] == 3 * per_item[j] * unit);
      CHECK(lengths.up_to(1)[j] == 3 * per_item[j] * unit);
      CHECK(lengths.up_to(2)[j] == 5 * per_item[j] * unit);
    }
    lengths.follow(1, 1, graph, way);
    CHECK(lengths.up_to(0)[1] == 0);
    CHECK(lengths.up_to(2)[1] == 5 * per_item[1] * unit);
  });
}

TEST_CASE("why an edge is too long is said of a path that says why another one is, else of the longest") {
  with_pool([](path_pool& pool, path_completions& rest, const layered_graph& graph) {
    path_lengths lengths(pool, rest, 3);
    lengths.restart();
    lengths.forget_conditions(0);
    CHECK(lengths.put(0, passing(1, 1), graph) == 0);
    CHECK(lengths.put(0, passing(1, 2), graph) == 1);
    const std::uint32_t v = behind(graph, 0, 3);
    const double unit = lengths.longest(0, graph, 0, v) / (5 * 8);
    const double most = 2 * 8 * unit;  // both are longer
    lengths.explain(0, v, most);
    CHECK(lengths.conditions(0)[0] == none);
    // The longest is too long whatever it is up to here.
    CHECK(lengths.conditions(0)[1] == 0);
    lengths.forget_conditions(0);
    lengths.require(0, 0, 3);
    lengths.require(0, 0, 2);
    CHECK(lengths.conditions(0)[0] == 3);
    lengths.explain(0, v, most);
    CHECK(lengths.conditions(0)[0] == 3);
    CHECK(lengths.conditions(0)[1] == none);
    // What is asked of the next step is asked of this one, less the edge.
    lengths.forget_conditions(1);
    lengths.require(1, 1, 100 * unit);
    lengths.require_of_next(0);
    CHECK(lengths.conditions(0)[1] == 100 * unit - lengths.of_edge(0)[1]);
  });
}

TEST_CASE("a full pool forgets the path least used of those that are no reason") {
  with_pool([](path_pool& pool, path_completions& rest, const layered_graph& graph) {
    path_lengths lengths(pool, rest, 3);
    lengths.restart();
    lengths.forget_conditions(0);
    for (std::size_t j = 0; j < 8; ++j) {
      CHECK(lengths.put(0, passing(1, static_cast<double>(j)), graph) == j);
      pool.use(j) = static_cast<double>(j + 1);
    }
    lengths.require(0, 0, 1);
    CHECK(lengths.put(0, passing(2, 1), graph) == 1);
    for (std::size_t j = 0; j < 8; ++j) lengths.require(0, j, 1);
    CHECK(lengths.put(0, passing(3, 1), graph) == pool.capacity());
    CHECK(pool.find(passing(2, 1)) == 1);
    CHECK(pool.find(passing(3, 1)) == pool.capacity());
  });
}
