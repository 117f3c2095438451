// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/operator_links.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace {

std::vector<std::uint32_t> list(stagecut::view<const std::uint32_t> of) { return {of.begin(), of.end()}; }

}  // namespace

TEST_CASE("rows of consumers, producers and shared parameters") {
  stagecut::operator_graph graph;
  graph.operators.resize(4);
  graph.edges = {{2, 3}, {0, 1}, {0, 3}, {1, 1}, {0, 1}};
  graph.shared = {{1, {0, 3}}, {1, {3}}};
  const stagecut::detail::operator_links links(graph);
  using rows = std::vector<std::uint32_t>;
  CHECK(list(links.consumers(0)) == rows{1, 3, 1});
  CHECK(list(links.consumers(1)).empty());
  CHECK(list(links.producers(1)) == rows{0, 0});
  CHECK(list(links.producers(3)) == rows{2, 0});
  CHECK(list(links.tensors_from(0)).empty());
  CHECK(list(links.shared(3)) == rows{0, 1});
  CHECK(list(links.shared(1)).empty());
}

TEST_CASE("an edge with its own tensor is no consumer of the output, but an edge of both ends") {
  stagecut::operator_graph graph;
  graph.operators.resize(3);
  const stagecut::edge_tensor tensor{1, 0, 0};
  graph.edges = {{0, 1}, {0, 2, tensor}, {1, 2}, {0, 2, tensor}, {1, 1, tensor}};
  const stagecut::detail::operator_links links(graph);
  using rows = std::vector<std::uint32_t>;
  CHECK(list(links.consumers(0)) == rows{1});
  CHECK(list(links.producers(2)) == rows{1});
  CHECK(list(links.tensors_from(0)) == rows{1, 3});
  CHECK(list(links.tensors_to(2)) == rows{1, 3});
  CHECK(list(links.tensors_from(1)).empty());
}
