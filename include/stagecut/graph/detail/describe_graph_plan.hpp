// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <stagecut/core/names.hpp>
#include <stagecut/graph/detail/graph_plan_request.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/backward_parts.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/parts/recomputed_parts.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

// The figures of a plan's stages of a graph.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The edges between stages: the output of every producer of the forward pass, once for each later stage that consumes
/// it. What goes back is as large, whichever operators send it.
[[nodiscard]] inline std::vector<planned_edge> stage_edges_of(const operator_graph& graph,
                                                              const std::vector<std::size_t>& stage_of,
                                                              std::size_t stages) {
  std::map<std::pair<std::size_t, std::size_t>, double> bytes;
  std::vector<std::vector<std::size_t>> reached(stage_of.size());
  for (const operator_edge& edge : graph.edges) {
    const bool on = stage_of[edge.from] < stage_of[edge.to] && !graph.operators[edge.from].is_backward;
    if (on) reached[edge.from].push_back(stage_of[edge.to]);
  }
  for (std::size_t v = 0; v < reached.size(); ++v) {
    std::sort(reached[v].begin(), reached[v].end());
    reached[v].erase(std::unique(reached[v].begin(), reached[v].end()), reached[v].end());
    for (const std::size_t to : reached[v]) bytes[{stage_of[v], to}] += graph.operators[v].output;
  }
  std::vector<planned_edge> result;
  for (const auto& [ends, sum] : bytes) result.push_back({ends.first, ends.second, sum});
  // Stages without any messages: without edges they would form a chain.
  if (result.empty() && stages > 1) result.push_back({0, 1, 0});
  return result;
}

/// Microbatches in flight on a stage; 0 if unknown.
[[nodiscard]] inline std::size_t graph_in_flight(const plan_request& request, std::size_t stage, std::size_t stages) {
  if (request.schedule == schedule_kind::gpipe) return request.microbatches;
  const std::size_t left = stages - stage;
  return request.microbatches != 0 && request.microbatches < left ? request.microbatches : left;
}

/// Fills in the figures of the stages' layers.
inline void describe_graph_stages(plan& result, const plan_request& request, const operator_graph& graph,
                                  const std::vector<std::size_t>& stage_of) {
  std::vector<backward_parts> parts(result.stages.size());
  std::vector<recomputed_parts> again(result.stages.size());
  for (std::size_t v = 0; v < stage_of.size(); ++v) {
    const std::size_t s = stage_of[v];
    const layer& each = result.profile.layers[v];
    planned_memory& memory = result.stages[s].memory;
    memory.resident += graph.operators[v].resident;
    memory.activations += each.activations;
    again[s].add(each.workspace, each.recomputed);
    parts[s].add(each);
    result.stages[s].all_reduce += each.update;
  }
  for (const shared_parameters& parameters : graph.shared) {
    std::vector<bool> holds(result.stages.size());
    for (const std::size_t v : parameters.operators) holds[stage_of[v]] = true;
    for (std::size_t s = 0; s < holds.size(); ++s)
      result.stages[s].memory.resident += holds[s] ? parameters.resident : 0;
  }
  for (std::size_t s = 0; s < result.stages.size(); ++s) {
    const double speed = request.speeds.empty() ? 1 : request.speeds[result.stages[s].device];
    again[s].write_to(result.stages[s].memory);
    if (!result.stages[s].on_cpu) parts[s].write_to(result.stages[s], speed, 0);
    result.stages[s].all_reduce /= speed;
    result.stages[s].in_flight = graph_in_flight(request, s, result.stages.size());
  }
}

/// Bytes of every stage's buffers: for all that it receives and sends.
inline void describe_graph_buffers(plan& result, const plan_request& request, const operator_graph& graph,
                                   const std::vector<std::size_t>& stage_of) {
  std::vector<std::vector<std::size_t>> on(stage_of.size());
  for (const operator_edge& edge : graph.edges) {
    if (stage_of[edge.from] != stage_of[edge.to]) on[edge.from].push_back(stage_of[edge.to]);
  }
  for (std::size_t v = 0; v < on.size(); ++v) {
    if (on[v].empty() || graph.operators[v].is_backward) continue;
    on[v].push_back(stage_of[v]);
    std::sort(on[v].begin(), on[v].end());
    on[v].erase(std::unique(on[v].begin(), on[v].end()), on[v].end());
    for (const std::size_t s : on[v]) {
      result.stages[s].memory.buffers += graph_buffers(result.profile, request) * graph.operators[v].output;
    }
  }
}

/// The plan of the stages found, without its objective.
///
/// @param device_of  of each stage, if these are chunks: no schedule runs them; empty: one stage on each device
[[nodiscard]] inline plan described_graph_plan(const profile& model, const plan_request& request,
                                               const operator_graph& graph, const std::vector<std::size_t>& stage_of,
                                               const std::vector<graph_stage>& stages,
                                               const std::vector<std::size_t>& device_of = {}) {
  plan result;
  result.profile = model;
  assign_stages(result, stage_of);
  result.devices = device_of.empty() ? stages.size() : *std::max_element(device_of.begin(), device_of.end()) + 1;
  for (const std::size_t d : device_of) {
    const auto held = static_cast<std::size_t>(std::count(device_of.begin(), device_of.end(), d));
    result.stages_per_rank = std::max({result.stages_per_rank, held, std::size_t{2}});
  }
  result.speeds = request.speeds;
  bool cpus = false;
  for (const graph_stage& each : stages) {
    planned_stage stage;
    stage.device = device_of.empty() ? result.stages.size() : device_of[result.stages.size()];
    stage.cost = each.load;
    stage.forward = each.forward;
    stage.backward = each.backward;
    stage.on_cpu = each.on_cpu;
    cpus = cpus || each.on_cpu;
    result.stages.push_back(stage);
  }
  describe_graph_stages(result, request, graph, stage_of);
  describe_graph_buffers(result, request, graph, stage_of);
  result.edges = stage_edges_of(graph, stage_of, stages.size());
  result.memory = {optimizer_name(model, request),
                   request.memory_accounting.parameter_multiplier,
                   to_string(request.memory_accounting.checkpoint),
                   graph_buffers(model, request),
                   request.memory_limit.for_all() ? request.memory_limit.for_all() : model.machine.memory,
                   request.buffer_fraction};
  if (const auto link = graph_link(model, request)) {
    result.messages = {to_string(messages_one_by_one(request) ? transfer_kind::blocking : request.transfers), {*link}};
  }
  if (!device_of.empty()) return result;
  if (request.microbatches != 0) result.schedule = {to_string(request.schedule), request.microbatches};
  plan_request placed = request;
  placed.devices = stages.size();
  if (prediction_obstacle(placed).empty() && !cpus) predict(result, false);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
