// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/detail/describe_graph_plan.hpp>
#include <stagecut/graph/detail/graph_plan_request.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/minimize_graph_makespan.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/stage_figures.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/graph/warm_up.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

// Plans of graphs by the end of their iteration.
namespace stagecut::inline v0::detail {

/// Refuses what the makespan of a graph's plan is not known of.
inline void check_graph_makespan(std::string_view function, const profile& model, const plan_request& request) {
  const auto refuse = [&](std::string_view argument, const std::string& value, std::string_view requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  if (request.microbatches == 0) refuse("microbatches", "0", "must be known for the makespan");
  if (request.schedule != schedule_kind::one_forward_one_backward) {
    refuse("schedule", to_string(request.schedule), "must be 1f1b for the makespan of a graph");
  }
  if (request.cpus != 0) refuse("cpus", std::to_string(request.cpus), "must be 0 for the makespan of a graph");
  if (!request.speeds.empty()) refuse("speeds", "{…}", "must be empty for the makespan of a graph");
  if (request.by != measure::time) refuse("by", "another measure", "must be time for the makespan");
  if (request.transfers != transfer_kind::link && request.transfers != transfer_kind::latency) {
    refuse("transfers", to_string(request.transfers), "must be link or latency for the makespan of a graph");
  }
  bool timed = false;
  for (const layer& each : model.layers) timed = timed || each.time() > 0;
  if (!timed) fail(invalid_input("model", "no layer has a time"));
}

/// Good partitions to begin with: those of the least load, with messages beside the work and after it.
[[nodiscard]] inline std::vector<std::vector<std::size_t>> makespan_starts(const operator_graph& graph,
                                                                           load_request request) {
  std::vector<std::vector<std::size_t>> result;
  if (request.limits.time_limit) *request.limits.time_limit /= 8;
  request.limits.round_limit = 60;
  for (const message_overlap overlap : {message_overlap::full, message_overlap::none}) {
    request.load.overlap = overlap;
    auto found = minimize_load(graph, request);
    if (!found) continue;
    result.push_back(std::move(found->stage_of));
    for (std::vector<std::size_t>& each : found->others) result.push_back(std::move(each));
  }
  return result;
}

/// The most bytes that a plan's stages take beside parameters and activations.
[[nodiscard]] inline double most_beside(const plan& made) {
  double result = 0;
  for (const planned_stage& each : made.stages) {
    result = std::max(result, each.memory.workspace + each.memory.buffers);
  }
  return result;
}

/// The plan of stages and warm-up counts.
[[nodiscard]] inline plan makespan_plan(const profile& model, const plan_request& request, const operator_graph& graph,
                                        const load_options& options, const graph_makespan& found) {
  const std::vector<std::uint8_t> kinds(found.stages(), 0);
  plan_request unscheduled = request;
  unscheduled.microbatches = 0;
  plan result = detail::described_graph_plan(model, unscheduled, graph, found.stage_of,
                                             stage_figures(graph, found.stage_of, kinds, options));
  if (!result.messages.links.empty()) result.messages.kind = to_string(request.transfers);
  bool falling = true;
  for (std::size_t s = 0; s < found.stages(); ++s) {
    result.stages[s].cost = result.stages[s].forward + result.stages[s].backward;
    result.stages[s].in_flight = std::min(found.warm_up[s] + 1, request.microbatches);
    falling = falling && (s == 0 || result.stages[s].in_flight <= result.stages[s - 1].in_flight);
  }
  result.schedule = {to_string(schedule_kind::in_flight), request.microbatches};
  if (!falling) {
    const stage_pipeline stages = make_stage_pipeline(graph, found.stage_of, found.stages());
    result.schedule = {"", request.microbatches, warm_up_schedule(stages, found.warm_up, request.microbatches).orders};
  }
  predict(result, false);
  return result;
}

/// Plans a graph by the end of its iteration.
[[nodiscard]] inline outcome<plan> plan_graph_makespan(std::string_view function, const profile& model,
                                                       const plan_request& request) {
  check_graph_makespan(function, model, request);
  const operator_graph graph = planned_graph(model, request);
  const load_request load = load_request_of(model, request);
  const auto starts = makespan_starts(graph, load);
  graph_makespan_request asked;
  asked.devices = request.devices;
  asked.at_most = request.at_most;
  asked.microbatches = request.microbatches;
  asked.transfers = request.transfers;
  asked.limits = request.limits;
  double beside = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    // Workspaces and buffers depend on the stages: room is left for them until it is enough.
    if (load.load.memory) asked.memory_per_device = std::max(0.0, *load.load.memory - beside);
    const auto found = minimize_graph_makespan(graph, asked, starts);
    if (!found && attempt == 0) {
      return found.state() == state::infeasible ? outcome<plan>::infeasible(found.why())
                                                : outcome<plan>::unknown(found.why());
    }
    if (!found) break;
    plan result = makespan_plan(model, request, graph, load.load, *found);
    bool fits = true;
    for (const planned_stage& each : result.stages) {
      fits = fits && (!load.load.memory || each.total_memory() <= *load.load.memory);
    }
    if (!fits) {
      beside = std::max(beside, most_beside(result));
      continue;
    }
    // What is proved with less memory is not proved with all of it.
    const bool proved = found.state() == state::optimal && beside == 0;
    result.objective = {"makespan", "time", *result.makespan, proved ? *result.makespan : found->bound,
                        proved ? state::optimal : state::feasible};
    result.objective.bound = std::min(result.objective.bound, *result.makespan);
    return proved ? outcome<plan>::optimal(std::move(result)) : outcome<plan>::feasible(std::move(result));
  }
  return outcome<plan>::unknown({});
}

}  // namespace stagecut::inline v0::detail
