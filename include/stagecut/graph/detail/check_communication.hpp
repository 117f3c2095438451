// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/graph/detail/check_operator_figures.hpp>
#include <stagecut/graph/detail/communication_elements.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects an invalid request.
inline void check_communication_request(const communication_request& request) {
  const auto refuse = [](std::string_view argument, const std::string& value, std::string_view requirement) {
    fail(argument_error("minimize_communication", argument, value, requirement));
  };
  if (request.devices == 0) refuse("devices", "0", "must be at least 1");
  if (request.devices >> 20U != 0) refuse("devices", std::to_string(request.devices), "must be below 2^20");
  const auto check = [&](std::string_view name, double imbalance) {
    if (!is_finite(imbalance) || is_negative(imbalance))
      refuse(name, std::to_string(imbalance), "must be finite and not negative");
  };
  check("variable_imbalance", request.variable_imbalance);
  check("operation_imbalance", request.operation_imbalance);
  if (request.search.time_limit && !(*request.search.time_limit >= 0)) {
    refuse("search.time_limit", std::to_string(*request.search.time_limit), "must not be negative");
  }
}

/// Rejects lists of another length than the operators, and invalid weights.
inline void check_communication_problem(const communication_problem& problem) {
  const std::size_t n = problem.variables.size();
  const auto check_length = [&](const char* name, std::size_t length) {
    if (length == 0 || length == n) return;
    fail(argument_error("minimize_communication", joined({"problem.", name, ".size()"}), std::to_string(length),
                        joined({"must be the number of variables, ", n})));
  };
  check_length("operations", problem.operations.size());
  check_length("group", problem.group.size());
  check_length("device", problem.device.size());
  for (std::size_t v = 0; v < n; ++v) {
    const auto place = [&] { return joined({"operator ", v}); };
    check_operator_figure(place, "variables", problem.variables[v]);
    if (!problem.operations.empty()) check_operator_figure(place, "operations", problem.operations[v]);
  }
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    const auto place = [&] { return joined({"edge ", i}); };
    check_operator_figure(place, "weight", problem.edges[i].weight);
    for (const std::size_t end : {problem.edges[i].from, problem.edges[i].to}) {
      if (end >= n) fail(invalid_input(place(), joined({"there is no operator ", end})));
    }
  }
}

/// Whether sending any output or tensor takes time; else bytes count.
[[nodiscard]] inline bool sends_for_a_time(const operator_graph& graph) {
  const auto takes_time = [](const auto& sent) { return sent.sent_seconds > 0 || sent.sent_back_seconds > 0; };
  return graph.latency > 0 || std::any_of(graph.operators.begin(), graph.operators.end(), takes_time) ||
         std::any_of(graph.edges.begin(), graph.edges.end(),
                     [&](const operator_edge& edge) { return edge.tensor && takes_time(*edge.tensor); });
}

/// The weights of a graph's operators and edges.
[[nodiscard]] inline communication_weights weights_of(const operator_graph& graph) {
  communication_weights result;
  result.operations.assign(graph.operators.size(), 1);
  for (const graph_operator& each : graph.operators) result.variables.push_back(each.resident);
  for (const shared_parameters& parameters : graph.shared) {
    if (!parameters.operators.empty()) result.variables[parameters.operators[0]] += parameters.resident;
  }
  const bool timed = sends_for_a_time(graph);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    for (const std::size_t end : {graph.edges[i].from, graph.edges[i].to}) {
      if (end >= graph.operators.size())
        fail(invalid_input(joined({"edge ", i}), joined({"there is no operator ", end})));
    }
    const graph_operator& from = graph.operators[graph.edges[i].from];
    const edge_tensor sent =
        graph.edges[i].tensor.value_or(edge_tensor{from.sent_seconds, from.sent_back_seconds, from.output});
    const bool answered = sent.sent_back_seconds > 0 || graph.sends_back;
    const double latency = answered ? 2 * graph.latency : graph.latency;
    result.edges.push_back(timed ? sent.sent_seconds + sent.sent_back_seconds + latency : sent.bytes);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
