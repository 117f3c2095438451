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
    REQUIRE_EQ(found.value, plain.cut);
  }
  CHECK_GT(back, 100);
}

TEST_CASE("what is no partition is refused with the place") {
  const weighted_dag path(std::vector<std::int64_t>{1, 1}, std::vector<weighted_edge>{{0, 1}});
  const auto measured = [&](const std::vector<std::size_t>& part_of, std::size_t parts) {
    return refusal([&] { return stagecut::measure_partition(path, part_of, parts); });
  };
  CHECK_EQ(measured({1, 0}, 2), "edge from vertex 0 to vertex 1: leads from part 1 back to part 0");
  CHECK_EQ(measured({0}, 2), "stagecut::measure_partition: part_of.size() = 1, must be the number of vertices, 2");
  CHECK_EQ(measured({0, 2}, 2), "stagecut::measure_partition: part_of = 2, must be below the number of parts, 2");
}
