// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/contraction.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "../refusal.hpp"
#include "load_oracle.hpp"
#include "random_problems.hpp"

using stagecut::contraction;
using stagecut::graph_operator;
using stagecut::invalid_input;
using stagecut::operator_graph;
using stagecut::precedence;

namespace {

operator_graph random_graph(oracle::chance& random, std::size_t n) {
  oracle::load_case each;
  oracle::draw_operators(random, n, 2, each);
  oracle::draw_edges(random, each.graph);
  return each.graph;
}

/// All assignments of elements to stages that keep to the pairs.
std::size_t count_ordered(const precedence& below, std::size_t stages) {
  std::vector<std::size_t> stage_of(below.size());
  const auto place = [&](const auto& self, std::size_t e) -> std::size_t {
    if (e == below.size()) return 1;
    std::size_t count = 0;
    for (stage_of[e] = 0; stage_of[e] < stages; ++stage_of[e]) {
      bool fits = true;
      for (const auto from : below.predecessors(e)) fits = fits && (from > e || stage_of[from] <= stage_of[e]);
      for (const auto to : below.successors(e)) fits = fits && (to > e || stage_of[e] <= stage_of[to]);
      if (fits) count += self(self, e + 1);
    }
    return count;
  };
  return place(place, 0);
}

}  // namespace

TEST_CASE("operators are in one element exactly if no partition parts them") {
  int fused = 0;
  for (std::uint64_t round = 0; round < 400; ++round) {
    oracle::chance random(round);
    const std::size_t n = 1 + random.below(6);
    const operator_graph graph = random_graph(random, n);
    std::vector<std::vector<bool>> parted(n, std::vector<bool>(n));
    oracle::for_each_assignment(graph, 2, [&](const std::vector<std::size_t>& stage_of) {
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) parted[a][b] = parted[a][b] || stage_of[a] != stage_of[b];
      }
    });
    const contraction parts(graph);
    CAPTURE(round);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        const bool together = parts.element_of(a) == parts.element_of(b);
        REQUIRE(together == !parted[a][b]);
        const graph_operator& here = graph.operators[a];
        const bool grouped = here.group != graph_operator::none && here.group == graph.operators[b].group;
        fused += together && a != b && !grouped ? 1 : 0;
      }
    }
  }
  CHECK(fused > 15);
}

TEST_CASE("the partitions of operators are those of elements, and the other way round") {
  for (std::uint64_t round = 0; round < 300; ++round) {
    oracle::chance random(1000 + round);
    const operator_graph graph = random_graph(random, 1 + random.below(6));
    const contraction parts(graph);
    const std::size_t stages = 1 + random.below(4);
    std::size_t count = 0;
    CAPTURE(round);
    oracle::for_each_assignment(graph, stages, [&](const std::vector<std::size_t>& stage_of) {
      ++count;
      for (std::size_t e = 0; e < parts.elements(); ++e) {
        for (const auto to : parts.below().successors(e)) {
          REQUIRE(stage_of[parts.operators_of(e)[0]] <= stage_of[parts.operators_of(to)[0]]);
        }
      }
    });
    REQUIRE(count == count_ordered(parts.below(), stages));
  }
}

TEST_CASE("elements are numbered by their least operators, and list them in order") {
  for (std::uint64_t round = 0; round < 200; ++round) {
    oracle::chance random(2000 + round);
    const operator_graph graph = random_graph(random, 1 + random.below(12));
    const contraction parts(graph);
    std::vector<std::size_t> all;
    for (std::size_t e = 0; e < parts.elements(); ++e) {
      const auto here = parts.operators_of(e);
      REQUIRE_FALSE(here.empty());
      REQUIRE(std::is_sorted(here.begin(), here.end()));
      if (e != 0) REQUIRE(parts.operators_of(e - 1)[0] < here[0]);
      for (const std::size_t v : here) REQUIRE(parts.element_of(v) == e);
      all.insert(all.end(), here.begin(), here.end());
    }
    REQUIRE(all.size() == graph.operators.size());
    std::vector<int> numbers(parts.elements());
    std::iota(numbers.begin(), numbers.end(), 10);
    const std::vector<int> expanded = parts.expanded(numbers);
    for (std::size_t v = 0; v < expanded.size(); ++v)
      REQUIRE(expanded[v] == 10 + static_cast<int>(parts.element_of(v)));
  }
}

TEST_CASE("elements that are made one keep their operators and the pairs with others") {
  operator_graph graph;
  graph.operators.resize(5);
  graph.edges = {{0, 1}, {1, 2}, {3, 2}, {2, 4}};
  const contraction parts(graph);
  const contraction merged = parts.merged(graph, {1, 1, 2, 2, 4});
  REQUIRE(merged.elements() == 3);
  CHECK(merged.element_of(0) == merged.element_of(1));
  CHECK(merged.element_of(2) == merged.element_of(3));
  CHECK(merged.operators_of(1)[0] == 2);
  CHECK(merged.below().pairs() == 2);
  CHECK(parts.elements() == 5);
}

TEST_CASE("backward operators follow their group, and others stand in reverse") {
  // 0 -> 1 forward; 2 and 3 backward, of the groups of 0 and 1, and 4 behind 3 of no group.
  operator_graph graph;
  graph.operators.resize(5);
  for (std::size_t v = 2; v < 5; ++v) graph.operators[v].is_backward = true;
  graph.operators[0].group = graph.operators[2].group = 0;
  graph.operators[1].group = graph.operators[3].group = 1;
  graph.edges = {{0, 1}, {1, 3}, {3, 2}, {3, 4}};
  const contraction parts(graph);
  REQUIRE(parts.elements() == 3);
  CHECK(parts.element_of(2) == parts.element_of(0));
  CHECK(parts.element_of(3) == parts.element_of(1));
  CHECK(parts.element_of(4) == 2);
  CHECK(parts.below().pairs() == 2);
  REQUIRE(parts.below().successors(2).size() == 1);
  CHECK(parts.below().successors(2)[0] == 1);
}

TEST_CASE("no operators are no elements") {
  CHECK(contraction().elements() == 0);
  CHECK(contraction(operator_graph()).elements() == 0);
}

TEST_CASE("edges that are none, and cycles that no group explains, are refused") {
  const auto of = [](const operator_graph& graph) {
    return refusal<invalid_input>([&] { return contraction(graph); });
  };
  operator_graph graph;
  graph.operators.resize(4);
  graph.edges = {{0, 1}, {4, 1}};
  CHECK(of(graph) == "edge 1: there is no operator 4");
  graph.edges = {{0, 1}, {1, 9}};
  CHECK(of(graph) == "edge 1: there is no operator 9");
  graph.edges = {{0, 1}, {1, 2}, {2, 1}};
  CHECK(of(graph) == "operator 1: 1 -> 2 -> 1 is a cycle of 2 operators");
  graph.operators[1].group = graph.operators[2].group = 0;
  CHECK(contraction(graph).elements() == 3);
  graph.edges = {{0, 1}, {1, 3}, {3, 2}, {2, 2}};
  CHECK(contraction(graph).elements() == 2);
  graph.operators[3].is_backward = true;
  CHECK(of(graph) == "edge 2: leads from the backward to the forward pass");
}

TEST_CASE("a path of a million operators overflows no stack") {
  operator_graph graph;
  graph.operators.resize(1000000);
  for (std::size_t v = 1; v < graph.operators.size(); ++v) graph.edges.push_back({v - 1, v});
  CHECK(contraction(graph).elements() == graph.operators.size());
  graph.operators.front().group = graph.operators.back().group = 1;
  CHECK(contraction(graph).elements() == 1);
}
