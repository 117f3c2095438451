// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/minimize_communication.hpp>

#include <cstddef>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/check_communication.hpp>
#include <stagecut/graph/detail/communication_elements.hpp>
#include <stagecut/graph/detail/placement_solver.hpp>
#include <stagecut/graph/detail/why_no_placement.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<communication_partition> minimize_communication_fn::operator()(
    const communication_problem& problem, const communication_request& request) const {
  detail::check_communication_request(request);
  detail::check_communication_problem(problem);
  operator_graph graph;
  graph.operators.resize(problem.variables.size());
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    if (!problem.group.empty()) graph.operators[v].group = problem.group[v];
    if (!problem.device.empty()) graph.operators[v].stage = problem.device[v];
  }
  detail::communication_weights weights{problem.variables, problem.operations, {}};
  weights.operations.resize(problem.variables.size(), 1);
  for (const communication_edge& each : problem.edges) {
    graph.edges.push_back({each.from, each.to});
    weights.edges.push_back(each.weight);
  }
  return solve(graph, weights, request);
}

STAGECUT_DECL outcome<communication_partition> minimize_communication_fn::operator()(
    const operator_graph& graph, const communication_request& request) const {
  detail::check_communication_request(request);
  detail::check_operator_figures(graph);
  return solve(graph, detail::weights_of(graph), request);
}

STAGECUT_DECL outcome<communication_partition> minimize_communication_fn::solve(
    const operator_graph& graph, const detail::communication_weights& weights, const communication_request& request) {
  using answer = outcome<communication_partition>;
  operator_graph unordered;
  unordered.operators = graph.operators;
  const detail::communication_elements elements(graph, contraction(request.contiguous ? graph : unordered), weights,
                                                request);
  if (auto why = detail::why_no_placement(graph, elements)) return answer::infeasible(*std::move(why));
  return detail::placement_solver(elements, request.limits).run();
}

}  // namespace stagecut::inline STAGECUT_ABI
