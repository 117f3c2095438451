// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/graph_solver.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "load_oracle.hpp"
#include "random_problems.hpp"

using stagecut::contraction;
using stagecut::graph_operator;
using stagecut::operator_costs;
using stagecut::operator_graph;
using stagecut::detail::folded_leaves;

namespace {

/// The graph with what is folded in one group.
operator_graph grouped(const operator_graph& graph, const contraction& folded) {
  operator_graph result = graph;
  for (std::size_t v = 0; v < graph.operators.size(); ++v) result.operators[v].group = folded.element_of(v);
  return result;
}

}  // namespace

TEST_CASE("with leaves folded the least load stays as it is where fewer stages will do") {
  int folded_more = 0;
  for (std::uint64_t round = 0; round < 600; ++round) {
    oracle::chance random(round);
    oracle::load_case each = oracle::random_case(random, 7, 4);
    each.request.at_most = true;
    each.request.load.memory_limit.reset();
    each.request.load.speeds.clear();
    if (each.request.load.constants.size() > 1) each.request.load.constants.resize(1);
    for (graph_operator& v : each.graph.operators) v.stage = graph_operator::none;
    const contraction parts(each.graph);
    const std::size_t stages = each.request.devices + each.request.cpus;
    const operator_costs costs(each.graph, parts, each.request.load, stages);
    const contraction folded = parts.merged(each.graph, folded_leaves(parts, costs, false));
    if (folded.elements() == parts.elements()) continue;
    ++folded_more;
    CAPTURE(round);
    const oracle::load_case less{grouped(each.graph, folded), each.request};
    const auto before = oracle::least_load(each.graph, each.request);
    const auto after = oracle::least_load(less.graph, less.request);
    REQUIRE(before.has_value() == after.has_value());
    if (before) REQUIRE(oracle::close(*before, *after));
  }
  CHECK(folded_more > 80);
}

TEST_CASE("a chain of leaves goes into what it hangs from, and what takes time or is bound stays") {
  operator_graph graph;
  graph.operators.resize(6);
  graph.operators[0].forward = 1;
  graph.operators[1].forward = 1;
  graph.edges = {{0, 1}, {1, 2}, {2, 3}, {4, 0}, {5, 1}};
  graph.operators[5].cpu = 1;
  graph.operators[4].resident = 8;
  const contraction parts(graph);
  const operator_costs costs(graph, parts, {}, 2);
  CHECK(folded_leaves(parts, costs, false) == std::vector<contraction::element>{0, 1, 1, 1, 0, 5});
  CHECK(folded_leaves(parts, costs, true) == std::vector<contraction::element>{0, 1, 1, 1, 4, 5});
  graph.operators[3].stage = 1;
  const operator_costs bound(graph, parts, {}, 2);
  CHECK(folded_leaves(parts, bound, false) == std::vector<contraction::element>{0, 1, 2, 3, 0, 5});
}

TEST_CASE("what runs on fewer kinds of devices than its neighbour stays") {
  operator_graph graph;
  graph.operators.resize(2);
  graph.operators[0].forward = 1;
  graph.operators[0].on_cpu = true;
  graph.edges = {{0, 1}};
  const contraction parts(graph);
  CHECK(folded_leaves(parts, operator_costs(graph, parts, {}, 2), false) == std::vector<contraction::element>{0, 1});
  graph.operators[1].on_cpu = true;
  CHECK(folded_leaves(parts, operator_costs(graph, parts, {}, 2), false) == std::vector<contraction::element>{0, 0});
}
