// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/dag_partition.hpp>
#include <stagecut/graph/weighted_dag.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../refusal.hpp"
#include "random_dags.hpp"

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
  CHECK_EQ(parts.cut, 9);
  CHECK_EQ(parts.weights, weights{3, 3});
  CHECK_EQ(parts.loads, weights{12, 12});
  CHECK_EQ(parts.load(), 12);
  CHECK_EQ(weighted_dag().size(), 0);
}

TEST_CASE("figures of parts are those of a plain loop") {
  oracle::chance random(1);
  std::size_t back = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::size_t parts = 1 + random.below(4);
    const oracle::dag_case graph = oracle::random_dag(random, random.below(12), 1 + random.below(9));
    std::vector<std::size_t> part_of;
    for (std::size_t v = 0; v < graph.weights.size(); ++v) part_of.push_back(random.below(parts));
    const oracle::dag_figures plain = oracle::figures_of(graph, part_of, parts);
    if (!plain.forwards) {
      ++back;
      REQUIRE_THROWS_AS(static_cast<void>(stagecut::measure_partition(graph.dag(), part_of, parts)), stagecut::invalid_input);
      continue;
    }
    const auto found = stagecut::measure_partition(graph.dag(), part_of, parts);
    REQUIRE_EQ(found.weights, plain.weights);
    REQUIRE_EQ(found.loads, plain.loads);
    REQUIRE_EQ(found.cut, plain.cut);
  }
  CHECK_GT(back, 100);
}

TEST_CASE("what is no graph, or no partition, is refused with the place") {
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
  const weighted_dag path(weights{1, 1}, edges{{0, 1}});
  const auto measured = [&](const std::vector<std::size_t>& part_of, std::size_t parts) {
    return refusal([&] { return stagecut::measure_partition(path, part_of, parts); });
  };
  CHECK_EQ(measured({1, 0}, 2), "edge from vertex 0 to vertex 1: leads from part 1 back to part 0");
  CHECK_EQ(measured({0}, 2), "stagecut::measure_partition: part_of.size() = 1, must be the number of vertices, 2");
  CHECK_EQ(measured({0, 2}, 2), "stagecut::measure_partition: part_of = 2, must be below the number of parts, 2");
}
