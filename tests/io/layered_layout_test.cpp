// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/layered_layout.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

#include "graph_plans.hpp"

using stagecut::layer_graph;
using stagecut::io::detail::layered_layout;

TEST_CASE("a chain is one column, a diamond has its branches beside each other") {
  layer_graph chain(4);
  for (std::size_t v = 0; v + 1 < 4; ++v) chain.join(v, v + 1);
  const layered_layout column(chain);
  CHECK(column.height() == 4);
  CHECK(column.width() == 1);
  for (std::size_t v = 0; v < 4; ++v) {
    CHECK(column.row(v) == v);
    CHECK(column.x(v) == 0);
  }
  layer_graph diamond(4);
  diamond.join(0, 1), diamond.join(0, 2), diamond.join(1, 3), diamond.join(2, 3);
  const layered_layout made(diamond);
  CHECK(made.row(1) == 1);
  CHECK(made.row(2) == 1);
  CHECK(std::abs(made.x(1) - made.x(2)) == 1);
  CHECK(made.x(0) == (made.x(1) + made.x(2)) / 2);
  CHECK(made.width() == 2);
}

TEST_CASE("what nothing feeds stands just above what it feeds") {
  layer_graph graph(4);
  graph.join(0, 1), graph.join(1, 2), graph.join(3, 2);
  const layered_layout made(graph);
  CHECK(made.row(3) == 1);
  CHECK(made.row(2) == 2);
  CHECK(layered_layout(layer_graph(0)).height() == 0);
  CHECK(layered_layout(layer_graph(2)).height() == 1);
}

TEST_CASE("on any graph edges lead down, and vertices of a row do not touch") {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const auto model = random_graph_plan(random).profile;
    layer_graph graph(model.layers.size());
    for (const auto& [from, to] : model.edges) graph.join(from, to);
    const layered_layout made(graph);
    for (const auto& [from, to] : model.edges) REQUIRE(made.row(from) < made.row(to));
    for (std::size_t v = 0; v < graph.size(); ++v) {
      REQUIRE(made.x(v) >= 0);
      REQUIRE(made.x(v) <= made.width() - 1 + 1e-9);
      REQUIRE(made.row(v) < made.height());
      for (std::size_t u = 0; u < v; ++u) {
        REQUIRE((made.row(u) != made.row(v) || std::abs(made.x(u) - made.x(v)) >= 1 - 1e-9));
      }
    }
  }
}
