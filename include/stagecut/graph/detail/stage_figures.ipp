// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/stage_figures.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What a stage receives and sends.
struct stage_messages {
  double forward = 0;   ///< seconds, of the forward pass
  double backward = 0;  ///< seconds, of the backward pass
  double bytes = 0;     ///< of the forward pass
};

/// The messages of each stage: every producer's output once, and the tensor of every edge that crosses.
[[nodiscard]] inline std::vector<stage_messages> messages_of_stages(const operator_graph& graph,
                                                                    const std::vector<std::size_t>& stage_of,
                                                                    std::size_t stages) {
  std::vector<stage_messages> result(stages);
  const auto add = [&](stage_messages& to, std::size_t from, const edge_tensor& tensor) {
    const bool back = graph.operators[from].is_backward;
    (back ? to.backward : to.forward) += tensor.sent_seconds + graph.latency;
    if (!back) to.bytes += tensor.bytes;
    if (tensor.sent_back_seconds > 0 || graph.sends_back) to.backward += tensor.sent_back_seconds + graph.latency;
  };
  std::vector<std::vector<std::size_t>> reached(graph.operators.size());
  for (const operator_edge& edge : graph.edges) {
    if (stage_of[edge.from] == stage_of[edge.to]) continue;
    if (!edge.tensor) {
      reached[edge.from].push_back(stage_of[edge.to]);
      continue;
    }
    add(result[stage_of[edge.from]], edge.from, *edge.tensor);
    add(result[stage_of[edge.to]], edge.from, *edge.tensor);
  }
  for (std::size_t v = 0; v < reached.size(); ++v) {
    if (reached[v].empty()) continue;
    reached[v].push_back(stage_of[v]);
    std::sort(reached[v].begin(), reached[v].end());
    reached[v].erase(std::unique(reached[v].begin(), reached[v].end()), reached[v].end());
    const graph_operator& each = graph.operators[v];
    for (const std::size_t s : reached[v]) add(result[s], v, {each.sent_seconds, each.sent_back_seconds, each.output});
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<graph_stage> stage_figures(const operator_graph& graph,
                                                     const std::vector<std::size_t>& stage_of,
                                                     const std::vector<std::uint8_t>& kinds,
                                                     const load_options& options) {
  const std::size_t k = kinds.size();
  std::vector<graph_stage> result(k);
  std::vector<detail::stage_messages> sent = detail::messages_of_stages(graph, stage_of, k);
  std::vector<double> activations(k);
  std::vector<double> workspace(k);
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    const graph_operator& each = graph.operators[v];
    graph_stage& stage = result[stage_of[v]];
    stage.forward += kinds[stage_of[v]] != 0 ? each.cpu : each.forward;
    stage.backward += kinds[stage_of[v]] != 0 ? 0 : each.backward;
    stage.memory += each.resident;
    activations[stage_of[v]] += each.activations;
    workspace[stage_of[v]] = std::max(workspace[stage_of[v]], each.workspace);
  }
  for (const shared_parameters& parameters : graph.shared) {
    std::vector<bool> held(k);
    for (const std::size_t v : parameters.operators) held[stage_of[v]] = true;
    for (std::size_t s = 0; s < k; ++s) result[s].memory += held[s] ? parameters.resident : 0;
  }
  for (std::size_t s = 0; s < k; ++s) {
    graph_stage& stage = result[s];
    stage.on_cpu = kinds[s] != 0;
    std::size_t kept = options.in_flight ? k - s : 1;
    if (options.in_flight && options.microbatches != 0) kept = std::min(kept, options.microbatches);
    stage.memory += static_cast<double>(kept) * activations[s] + workspace[s] + options.boundary_buffers * sent[s].bytes;
    if (!stage.on_cpu) {
      const double speed = options.speeds.empty() ? 1 : options.speeds[s];
      stage.forward /= speed;
      stage.backward /= speed;
      stage.communication = sent[s].forward + sent[s].backward;
    } else {
      sent[s] = {};
    }
    stage.load = options.overlap == message_overlap::none
                     ? stage.forward + stage.backward + stage.communication
                     : std::max(stage.forward, sent[s].forward) + std::max(stage.backward, sent[s].backward);
    if (!options.constants.empty()) stage.load += options.constants[options.constants.size() == 1 ? 0 : s];
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
