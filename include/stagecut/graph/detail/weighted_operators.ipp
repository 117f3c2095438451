// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/weighted_operators.hpp>

#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL operator_graph weighted_operators(operator_graph graph, double time_weight) {
  if (!is_finite(time_weight) || time_weight < 0 || time_weight > 1) {
    detail::fail(
        argument_error("weighted_operators", "time_weight", std::to_string(time_weight), "must be from 0 to 1"));
  }
  double seconds = 0;
  double bytes = 0;
  for (const graph_operator& each : graph.operators) {
    seconds += each.forward + each.backward;
    bytes += each.resident + each.activations;
  }
  const auto share = [](double part, double all) { return all > 0 ? part / all : 0; };
  for (graph_operator& each : graph.operators) {
    const double memory = (1 - time_weight) * share(each.resident + each.activations, bytes);
    each.forward = time_weight * share(each.forward + each.backward, seconds) + memory;
    each.cpu = time_weight * share(each.cpu, seconds) + memory;
    each.backward = 0;
    each.sent_seconds = 0;
    each.sent_back_seconds = 0;
  }
  for (operator_edge& edge : graph.edges) {
    if (edge.tensor) edge.tensor->sent_seconds = edge.tensor->sent_back_seconds = 0;
  }
  graph.latency = 0;
  return graph;
}

}  // namespace stagecut::inline STAGECUT_ABI
