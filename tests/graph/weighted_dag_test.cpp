// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/weighted_dag.hpp>

#include <stagecut/graph/dag_partition.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../refusal.hpp"

using stagecut::weighted_dag;
using stagecut::weighted_edge;
using weights = std::vector<std::int64_t>;
using edges = std::vector<weighted_edge>;

TEST_CASE("edges between the same two are one, and of a vertex with itself none") {
  const weighted_dag graph(weights{1, 2, 3}, edges{{2, 0, 4}, {2, 0, 5}, {1, 1, 6}, {0, 1}}, weights{7, 8, 9});
  CHECK_EQ(graph.size(), 3);
  CHECK_EQ(graph.edges(), 2);
  CHECK_EQ(graph.weight(), 6);
  CHECK_EQ(std::vector<std::uint32_t>(graph.order().begin(), graph.order().end()), std::vector<std::uint32_t>{2, 0, 1});
  CHECK_EQ(weights(graph.outputs().begin(), graph.outputs().end()), weights{9, 7, 8});
  const auto parts = stagecut::measure_partition(graph, std::vector<std::size_t>{1, 1, 0}, 2);
  CHECK_EQ(parts.value, 9);
  CHECK_EQ(parts.weights, weights{3, 3});
  CHECK_EQ(parts.loads, weights{12, 12});
  CHECK_EQ(parts.load(), 12);
  CHECK_EQ(weighted_dag().size(), 0);
}

TEST_CASE("what is no graph is refused with the place") {
  const auto made = [](const weights& of, const edges& joined, const weights& outputs = {}) {
    return refusal([&] { return weighted_dag(of, joined, outputs); });
  };
  CHECK_EQ(made({1, -2}, {}), "vertex 1: weight -2, must not be negative");
  CHECK_EQ(made({1, 2}, {{0, 1, -1}}), "edge 0: weight -1, must not be negative");
  CHECK_EQ(made({1, 2}, {{0, 1}, {0, 2}}), "edge 1: there is no vertex 2");
  CHECK_EQ(made({1, 2}, {}, {1, -1}), "output 1: weight -1, must not be negative");
  CHECK_EQ(made({1, 2}, {}, {1}), "stagecut::weighted_dag: outputs.size() = 1, must be 0 or the number of vertices, 2");
  CHECK_EQ(made({1, 2, 3}, {{0, 1}, {1, 2}, {2, 1}}), "element 1: 1 -> 2 -> 1 is a cycle of 2 elements");
  CHECK_EQ(made({std::int64_t{1} << 60U, std::int64_t{1} << 60U}, {}),
           "vertex 1: weight 1152921504606846976, with which all weights are 2^61 or more");
}
