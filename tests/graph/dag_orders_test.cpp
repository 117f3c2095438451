// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/dag_orders.hpp>
#include <stagecut/graph/detail/guided_orders.hpp>
#include <stagecut/graph/detail/low_frequency.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "random_dags.hpp"

namespace {

using stagecut::detail::dag_order;
using stagecut::detail::flat_dag;

/// Whether all vertices are in an order, each behind its predecessors.
bool leads_onwards(const flat_dag& graph, const dag_order& order) {
  std::vector<std::size_t> place(graph.size(), graph.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  if (order.size() != graph.size() || std::count(place.begin(), place.end(), graph.size()) != 0) return false;
  for (std::size_t v = 0; v < graph.size(); ++v) {
    for (const std::uint32_t u : graph.out[v]) {
      if (place[v] > place[u]) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("every order has each vertex behind its predecessors") {
  oracle::chance random(1);
  for (int round = 0; round < 300; ++round) {
    const auto dag = oracle::random_dag(random, random.below(40), 1 + random.below(9)).dag();
    const flat_dag& graph = dag.flat();
    for (std::size_t i = 0; i < stagecut::detail::plain_orders; ++i) {
      REQUIRE(leads_onwards(graph, stagecut::detail::plain_order(graph, i)));
    }
    stagecut::engine::seeded chance(static_cast<std::uint64_t>(round));
    stagecut::detail::guided_orders guided(graph, chance);
    for (std::size_t i = 0; i < guided.size(); ++i) {
      guided.each_order(i, [&](const dag_order& order) { REQUIRE(leads_onwards(graph, order)); });
    }
    std::vector<std::uint32_t> part;
    for (std::size_t v = 0; v < graph.size(); ++v) part.push_back(static_cast<std::uint32_t>(3 * v / graph.size()));
    const dag_order by_part = stagecut::detail::by_part(stagecut::detail::on_demand(graph), part, 3);
    REQUIRE(leads_onwards(graph, by_part));
    REQUIRE(std::is_sorted(by_part.begin(), by_part.end(), [&](auto a, auto b) { return part[a] < part[b]; }));
  }
}

TEST_CASE("orders of a small graph, by hand") {
  // 0 -> 2 -> 4, 1 -> 3 -> 4, 3 -> 5
  const std::vector<std::int64_t> weights(6, 1);
  const std::vector<stagecut::weighted_edge> edges{{0, 2}, {1, 3}, {2, 4}, {3, 4}, {3, 5, 7}};
  const stagecut::weighted_dag dag(weights, edges);
  const flat_dag& graph = dag.flat();
  CHECK_EQ(stagecut::detail::by_level(graph, false), dag_order{0, 1, 2, 3, 4, 5});
  CHECK_EQ(stagecut::detail::last_ready_first(graph, false), dag_order{0, 2, 1, 3, 5, 4});
  CHECK_EQ(stagecut::detail::on_demand(graph), dag_order{0, 2, 1, 3, 4, 5});
  CHECK_EQ(stagecut::detail::least_cut_first(graph, false), dag_order{0, 2, 1, 3, 5, 4});
}

TEST_CASE("a vector of low frequency changes little along each edge of a path, and much over all of it") {
  const std::size_t n = 1000;
  const std::vector<std::int64_t> weights(n, 1);
  std::vector<stagecut::weighted_edge> edges;
  for (std::uint32_t v = 0; v + 1 < n; ++v) edges.push_back({v, v + 1, 3});
  const stagecut::weighted_dag dag(weights, edges);
  stagecut::engine::seeded chance(1);
  const auto values = stagecut::detail::low_frequency::of(dag.flat(), chance);
  std::int32_t step = 0;
  std::int32_t least = 0;
  std::int32_t most = 0;
  for (std::size_t v = 0; v < n; ++v) {
    if (v > 0) step = std::max(step, std::abs(values[v][0] - values[v - 1][0]));
    least = std::min(least, values[v][0]);
    most = std::max(most, values[v][0]);
  }
  CHECK_LT(step, stagecut::detail::low_frequency::one / 50);
  CHECK_GT(most - least, stagecut::detail::low_frequency::one);
}
