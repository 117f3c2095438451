// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/join_graphs.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace engine = stagecut::engine;
using stagecut::engine::join_graphs;
using stagecut::engine::layered_graph;

namespace {

/// One way from `cut` to the end, over two steps.
engine::layered_graph path_from(std::uint32_t cut, double bound) {
  engine::layered_graph graph;
  graph.nodes = {{1, {cut, 0, cut}}, {2, {cut, 1, cut + 1}}, {3, {cut, 2, cut + 2}}};
  graph.edges = {{0, 1, bound}, {1, 2, bound + 1}};
  graph.index();
  return graph;
}

}  // namespace

TEST_CASE("graphs behind one node: nodes by step, edges by where they begin, and no path is lost") {
  engine::layered_graph graph;
  graph.nodes.push_back({0, {0, 0, 0}});
  engine::join_graphs({path_from(4, 10), path_from(7, 20)}, 3, graph);
  REQUIRE(graph.nodes.size() == 7);
  for (std::size_t u = 1; u < 7; ++u) CHECK(graph.nodes[u].step == (u + 1) / 2);
  CHECK(graph.first == std::vector<std::uint32_t>{0, 2, 3, 4, 5, 6, 6, 6});
  CHECK(graph.least_bound() == 11);
  for (std::size_t u = 1; u < 5; ++u) {
    const auto& next = graph.nodes[graph.edges[graph.first[u]].to];
    CHECK(next.cut[0] == graph.nodes[u].cut[0]);
    CHECK(next.step == graph.nodes[u].step + 1);
  }
}

TEST_CASE("of no graphs a node is left that leads nowhere") {
  engine::layered_graph graph;
  graph.nodes.push_back({0, {0, 0, 0}});
  engine::join_graphs({}, 3, graph);
  CHECK(graph.edges.empty());
  CHECK(graph.first == std::vector<std::uint32_t>{0, 0});
}
