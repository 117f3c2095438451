// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/dot_graph.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"

using stagecut::io::detail::dot_graph;

TEST_CASE("nodes have numbers by their names, and edges join them") {
  dot_graph graph("g");
  CHECK(graph.number("b", 1) == 0);
  CHECK(graph.number("a", 1) == 1);
  CHECK(graph.number("b", 2) == 0);
  const stagecut::io::detail::dot_attribute weight{"weight", "8", 2};
  graph.join(1, 0, 2, &weight);
  graph.put(0, {"forward", "3", 2});
  graph.name("g");
  const auto model = graph.take(false);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0] == stagecut::layer{"b", "", 3});
  CHECK(model.layers[1].output == 8);
  CHECK(model.edges == std::vector<stagecut::profile_edge>{{1, 0}});
}

TEST_CASE("edges that stand twice are one where the graph is strict") {
  const auto twice = [](bool strict) {
    dot_graph graph("g");
    (void)graph.number("a", 1);
    (void)graph.number("b", 2);
    graph.join(0, 1, 3, nullptr);
    graph.join(0, 1, 4, nullptr);
    return graph.take(strict).edges.size();
  };
  CHECK(twice(true) == 1);
  CHECK(refusal<stagecut::invalid_input>([&] { return twice(false); }) ==
        "g:4: the edge from \"a\" to \"b\" stands twice");
}
