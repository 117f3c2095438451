// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A graph whose operators take, in place of their time, a weighted sum of time and memory, each as a share of the whole
/// graph's: the cost of PyTorch's RFC-0022, without messages.
///
/// @param graph        what operators take
/// @param time_weight  W of W * time + (1 - W) * memory, where memory is what stays of an operator and its activations of
///                     one microbatch; 0.6 in the RFC
/// @return             the same operators, edges and memory; `forward` is the cost, without a unit
/// @throws             argument_error for a weight that is not from 0 to 1
[[nodiscard]] inline operator_graph weighted_operators(operator_graph graph, double time_weight = 0.6) {
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
    each.sent = 0;
    each.sent_back = 0;
  }
  graph.latency = 0;
  return graph;
}

}  // namespace stagecut::inline STAGECUT_ABI
