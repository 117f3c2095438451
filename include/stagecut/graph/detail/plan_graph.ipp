// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/plan_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/detail/describe_graph_plan.hpp>
#include <stagecut/graph/detail/graph_plan_makespan.hpp>
#include <stagecut/graph/detail/graph_plan_request.hpp>
#include <stagecut/graph/detail/plan_communication.hpp>
#include <stagecut/graph/graph_of_profile.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/stage_figures.hpp>
#include <stagecut/graph/virtual_stages.hpp>
#include <stagecut/graph/weighted_operators.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The operators with what they cost: without messages if these occupy nothing.
[[nodiscard]] inline operator_graph priced_graph(const operator_graph& graph, const plan_request& request) {
  if (request.by == measure::time_and_memory) return weighted_operators(graph, request.time_weight);
  operator_graph result = graph;
  if (request.links.empty() || request.transfers != transfer_kind::latency) return result;
  for (graph_operator& each : result.operators) each.sent = each.sent_back = 0;
  result.latency = 0;
  return result;
}

/// The stages of a partition by another cost, with the times that they take and the costs that they have.
[[nodiscard]] inline std::vector<graph_stage> with_times(const operator_graph& graph, const graph_partition& found,
                                                         const load_options& options) {
  std::vector<std::uint8_t> kinds;
  for (const graph_stage& each : found.stages) kinds.push_back(each.on_cpu ? 1 : 0);
  std::vector<graph_stage> result = stage_figures(graph, found.stage_of, kinds, options);
  for (std::size_t s = 0; s < result.size(); ++s) result[s].load = found.stages[s].load;
  return result;
}

/// Chunks as stages, with the times that each takes; the load is that of its device.
[[nodiscard]] inline std::vector<graph_stage> chunk_stages(const operator_graph& graph, const virtual_partition& found,
                                                           load_options options) {
  std::vector<std::uint8_t> kinds;
  std::vector<double> speeds;
  for (const std::size_t d : found.device_of) {
    kinds.push_back(found.devices[d].on_cpu ? 1 : 0);
    if (!options.speeds.empty()) speeds.push_back(options.speeds[d]);
  }
  options.speeds = std::move(speeds);
  std::vector<graph_stage> result = stage_figures(graph, found.chunk_of, kinds, options);
  for (std::size_t c = 0; c < result.size(); ++c) result[c].load = found.devices[found.device_of[c]].load;
  return result;
}

/// Cuts a graph into chunks, of which every device holds several.
[[nodiscard]] inline outcome<plan> plan_graph_chunks(const profile& model, const plan_request& request,
                                                     const operator_graph& graph, const load_request& load) {
  const bool weighted = request.by == measure::time_and_memory;
  const virtual_stage_request asked{load.devices, load.cpus, load.at_most, request.chunks,
                                    load.method,  load.load, load.limits};
  const auto found = virtual_stages(priced_graph(graph, request), asked);
  if (found.state() == state::infeasible) return outcome<plan>::infeasible(found.why());
  if (!found) return outcome<plan>::unknown(found.why());
  bool one_each = true;
  for (std::size_t c = 0; c < found->device_of.size(); ++c) one_each = one_each && found->device_of[c] == c;
  plan result = described_graph_plan(model, request, graph, found->chunk_of, chunk_stages(graph, *found, load.load),
                                     one_each ? std::vector<std::size_t>() : found->device_of);
  result.objective = {"bottleneck", weighted ? "time and memory" : "time", found->load, found->bound, found.state()};
  return found.state() == state::optimal ? outcome<plan>::optimal(std::move(result))
                                         : outcome<plan>::feasible(std::move(result));
}

}  // namespace detail

STAGECUT_DECL outcome<plan> plan_graph_fn::operator()(const profile& model, const plan_request& request) const {
  detail::check_graph_request("plan_graph", model, request);
  if (request.method == graph_method::communication) return detail::plan_communication("plan_graph", model, request);
  if (request.objective == plan_objective::makespan) return detail::plan_graph_makespan("plan_graph", model, request);
  const operator_graph graph = detail::planned_graph(model, request);
  load_request load = detail::load_request_of(model, request);
  const auto tell = [&](const load_progress& now) {
    request.limits.progress({now.seconds, now.load, now.bound, now.rounds, 0});
  };
  if (request.limits.progress) load.limits.progress = tell;
  if (request.chunks > 1) return detail::plan_graph_chunks(model, request, graph, load);
  const bool weighted = request.by == measure::time_and_memory;
  const auto found = minimize_load(detail::priced_graph(graph, request), load);
  if (found.state() == state::infeasible) return outcome<plan>::infeasible(found.why());
  if (!found) return outcome<plan>::unknown(found.why());
  std::vector<graph_stage> stages = found->stages;
  if (weighted) stages = detail::with_times(graph, *found, load.load);
  plan result = detail::described_graph_plan(model, request, graph, found->stage_of, stages);
  result.objective = {"bottleneck", weighted ? "time and memory" : "time", found->load, found->bound, found.state()};
  return found.state() == state::optimal ? outcome<plan>::optimal(std::move(result))
                                         : outcome<plan>::feasible(std::move(result));
}

}  // namespace stagecut::inline STAGECUT_ABI
