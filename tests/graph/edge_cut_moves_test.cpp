// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/edge_cut_moves.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "random_dags.hpp"

namespace {

using stagecut::detail::dag_parts;
using stagecut::detail::edge_cut_moves;
using stagecut::detail::flat_dag;

/// Random parts in the order of the vertices, with `room` above the heaviest as limit.
dag_parts begin_with(const flat_dag& graph, std::size_t parts, std::int64_t room, oracle::chance& random) {
  dag_parts result;
  result.most.assign(parts, 0);
  std::vector<std::uint32_t> of;
  for (std::size_t v = 0; v < graph.size(); ++v) of.push_back(static_cast<std::uint32_t>(random.below(parts)));
  std::sort(of.begin(), of.end());
  result.part = of;
  result.reckon(graph);
  for (std::int64_t& each : result.most) each = *std::max_element(result.load.begin(), result.load.end()) + room;
  return result;
}

bool forwards(const flat_dag& graph, const dag_parts& parts) {
  for (std::size_t v = 0; v < graph.size(); ++v) {
    for (const std::uint32_t u : graph.out[v]) {
      if (parts.part[v] > parts.part[u]) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a move gains what the cut reckoned anew is smaller by, and is the best that is allowed") {
  oracle::chance random(1);
  for (int round = 0; round < 400; ++round) {
    const auto dag = oracle::random_dag(random, 2 + random.below(12), 1 + random.below(6)).dag();
    const flat_dag& graph = dag.flat();
    dag_parts parts = begin_with(graph, 2 + random.below(3), static_cast<std::int64_t>(random.below(6)), random);
    edge_cut_moves moves(graph, parts);
    for (int step = 0; step < 12; ++step) {
      const auto v = static_cast<std::uint32_t>(random.below(graph.size()));
      const edge_cut_moves::move found = moves.best_move(v);
      // All moves that there are: the gain of each by reckoning anew.
      std::int64_t best = std::numeric_limits<std::int64_t>::min();
      for (std::uint32_t to = 0; to < parts.count(); ++to) {
        dag_parts other = parts;
        other.part[v] = to;
        if (to == parts.part[v] || !forwards(graph, other)) continue;
        other.reckon(graph);
        if (other.load[to] > other.most[to]) continue;
        if (found.to == to) REQUIRE_EQ(found.gain, parts.cut - other.cut);
        best = std::max(best, parts.cut - other.cut);
      }
      if (found.to == edge_cut_moves::none) {
        // None, or none but to parts where nothing becomes uncut.
        REQUIRE_LE(best, 0);
        continue;
      }
      if (found.gain < best) REQUIRE_LE(best, 0);
      moves.make(found);
      dag_parts anew = parts;
      anew.reckon(graph);
      REQUIRE_EQ(anew.cut, parts.cut);
      REQUIRE_EQ(anew.load, parts.load);
      REQUIRE(forwards(graph, parts));
    }
  }
}

TEST_CASE("passes keep edges forwards and weights, cut no more, and say what is cut") {
  oracle::chance random(2);
  for (int round = 0; round < 200; ++round) {
    const auto dag = oracle::random_dag(random, 2 + random.below(60), 2 + random.below(12)).dag();
    const flat_dag& graph = dag.flat();
    dag_parts parts = begin_with(graph, 2 + random.below(5), static_cast<std::int64_t>(random.below(6)), random);
    const std::int64_t before = parts.cut;
    edge_cut_moves(graph, parts).run();
    REQUIRE(forwards(graph, parts));
    REQUIRE_LE(parts.cut, before);
    REQUIRE_EQ(parts.excess(), 0);
    dag_parts anew = parts;
    anew.reckon(graph);
    REQUIRE_EQ(anew.cut, parts.cut);
    REQUIRE_EQ(anew.load, parts.load);
  }
}

TEST_CASE("a part that is too heavy becomes lighter first") {
  const std::vector<std::int64_t> weights(10, 1);
  std::vector<stagecut::weighted_edge> edges;
  for (std::uint32_t v = 0; v + 1 < 10; ++v) edges.push_back({v, v + 1, 1});
  const stagecut::weighted_dag dag(weights, edges);
  dag_parts parts;
  parts.part = {0, 0, 0, 0, 0, 0, 0, 0, 1, 2};
  parts.most = {4, 4, 4};
  parts.reckon(dag.flat());
  REQUIRE_EQ(parts.excess(), 4);
  edge_cut_moves(dag.flat(), parts).run();
  CHECK_EQ(parts.excess(), 0);
  CHECK_EQ(parts.cut, 2);
}
