// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/graph_solver.hpp>
#include <stagecut/graph/detail/operator_path.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

using namespace stagecut;

namespace {

/// Operators in a row, numbered by chance, with some edges said twice.
operator_graph random_path(std::mt19937& random, bool tensors) {
  const std::size_t n = 2 + random() % 12;
  std::vector<std::size_t> number(n);
  std::iota(number.begin(), number.end(), std::size_t{0});
  std::shuffle(number.begin(), number.end(), random);
  operator_graph result;
  result.operators.resize(n);
  result.latency = static_cast<double>(random() % 3);
  result.sends_back = random() % 2 == 0;
  for (graph_operator& each : result.operators) {
    each.forward = static_cast<double>(random() % 9);
    each.backward = static_cast<double>(random() % 9);
    each.sent_seconds = static_cast<double>(random() % 7);
    each.sent_back_seconds = static_cast<double>(random() % 3);
  }
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t times = 0; times < 1 + random() % 2; ++times) result.edges.push_back({number[i - 1], number[i]});
  }
  for (operator_edge& edge : result.edges) {
    if (!tensors || random() % 2 == 0) continue;
    edge.tensor = {static_cast<double>(random() % 7), static_cast<double>(random() % 3), 1};
  }
  return result;
}

}  // namespace

TEST_CASE("a path is cut as its contraction is") {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const operator_graph graph = random_path(random, i >= 500);
    load_request request;
    request.devices = 1 + random() % 4;
    request.at_most = random() % 2 == 0;
    if (random() % 3 == 0) request.load.constants = {2};
    const auto found = detail::least_load_of_path(graph, request);
    const auto other = detail::graph_solver(graph, request).run();
    REQUIRE(found.has_value() == other.has_value());
    if (!found) continue;
    CHECK((*found)->value == other->value);
    CHECK((*found)->assignment == other->assignment);
    CHECK(other.state() == state::optimal);
  }
}

TEST_CASE("what is no path, or asks for more, is left to those who contract") {
  operator_graph graph;
  graph.operators.resize(3);
  graph.edges = {{0, 1}, {1, 2}};
  load_request request;
  CHECK(detail::least_load_of_path(graph, request));
  request.cpus = 1;
  CHECK(!detail::least_load_of_path(graph, request));
  request.cpus = 0;
  request.load.memory_limit = 5;
  CHECK(!detail::least_load_of_path(graph, request));
  for (const std::vector<operator_edge>& edges : {std::vector<operator_edge>{{0, 1}, {0, 2}},
                                                  {{0, 1}},
                                                  {{0, 1}, {1, 0}, {2, 2}},
                                                  {{0, 1}, {1, 2}, {2, 0}},
                                                  {{0, 1}, {1, 2}, {2, 3}},
                                                  {{1, 2}, {2, 1}}}) {
    graph.edges = edges;
    CHECK(detail::operator_path(graph).empty());
  }
}
