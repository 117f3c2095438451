// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/plan_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shared_effort.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/describe_graph_plan.hpp>
#include <stagecut/graph/detail/graph_plan_request.hpp>
#include <stagecut/graph/detail/plan_communication.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/graph_of_profile.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/minimize_graph_makespan.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/stage_figures.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/graph/virtual_stages.hpp>
#include <stagecut/graph/warm_up.hpp>
#include <stagecut/graph/weighted_operators.hpp>
#include <stagecut/plan/parts/request_problem.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/usual_search.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/core/search_options.hpp>

// Plans of graphs by the end of their iteration.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects requests for which the makespan of a graph's plan is not known.
inline void check_graph_makespan(std::string_view function, const profile& model, const plan_request& request) {
  const auto refuse = [&](std::string_view argument, const std::string& value, std::string_view requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  if (request.microbatches == 0) refuse("microbatches", "0", "must be known for the makespan");
  if (request.schedule != schedule_kind::one_forward_one_backward) {
    refuse("schedule", to_string(request.schedule), "must be 1f1b for the makespan of a graph");
  }
  if (request.cpus != 0) refuse("cpus", std::to_string(request.cpus), "must be 0 for the makespan of a graph");
  if (!request.speeds.empty())
    refuse("speeds", "{…}",
           "are not supported for the makespan of a graph, whose devices are alike: minimise the bottleneck");
  if (request.by != measure::time) refuse("by", "another measure", "must be time for the makespan");
  if (request.transfers != transfer_kind::link && request.transfers != transfer_kind::latency) {
    refuse("transfers", to_string(request.transfers), "must be link or latency for the makespan of a graph");
  }
  bool timed = false;
  for (const auto& layer : model.layers) timed = timed || layer.time() > 0;
  if (!timed) fail(invalid_input("model", "no layer has a time"));
}

/// Whether a pipeline can run a partition: it splits no element, and edges of the backward pass lead back.
[[nodiscard]] inline bool runs_as_pipeline(const contraction& parts, const std::vector<std::size_t>& stage_of) {
  for (std::size_t e = 0; e < parts.elements(); ++e) {
    const std::size_t here = stage_of[parts.operators_of(e)[0]];
    for (const std::size_t v : parts.operators_of(e)) {
      if (stage_of[v] != here) return false;
    }
    for (const contraction::element to : parts.below().successors(e)) {
      if (stage_of[parts.operators_of(to)[0]] < here) return false;
    }
  }
  return true;
}

/// Limits the rounds of a search for the least load within a search for the makespan, whose limit counts simulations:
/// to a part of a number that takes some seconds, and at most the request's limit.
inline void limit_rounds(search_options& limits, std::size_t elements, double part) {
  if (limits.time_limit || !limits.node_limit) return;
  const double rounds = part * 6e5 / (600 + 2 * static_cast<double>(elements));
  *limits.node_limit = std::min(*limits.node_limit, 1 + static_cast<std::size_t>(rounds));
}

/// Good initial partitions: those of the least load, with messages overlapped and added.
[[nodiscard]] inline std::vector<std::vector<std::size_t>> makespan_starts(const operator_graph& graph,
                                                                           load_request request) {
  std::vector<std::vector<std::size_t>> result;
  const contraction parts(graph, backward_edges::lead);
  if (request.search.time_limit) {
    *request.search.time_limit /= 8;
  } else {
    limit_rounds(request.search, parts.elements(), 0.06);
  }
  request.search.node_limit = std::min<std::size_t>(request.search.node_limit.value_or(60), 60);
  for (const message_overlap overlap : {message_overlap::full, message_overlap::none}) {
    request.load.overlap = overlap;
    auto found = minimize_load(graph, request);
    if (!found) continue;
    found->others.push_back(std::move(found->assignment));
    for (std::vector<std::size_t>& each : found->others) {
      if (runs_as_pipeline(parts, each)) result.push_back(std::move(each));
    }
  }
  return result;
}

/// The most bytes of a plan's stages apart from parameters and activations.
[[nodiscard]] inline double most_beside(const plan& made) {
  double result = 0;
  for (const planned_stage& stage : made.stages) {
    result = std::max(result, stage.memory.workspace + stage.memory.buffers);
  }
  return result;
}

/// The warm-up counts of a plan. Stages without any messages are expressed with an edge that carries nothing, so that
/// they are no chain: takes the best counts with that edge.
[[nodiscard]] inline std::vector<std::size_t> requested_warm_up(const operator_graph& graph,
                                                                const plan_request& request,
                                                                const load_options& options,
                                                                const graph_makespan& found) {
  if (found.stages() == 1) return found.warm_up;
  stage_pipeline stages = make_stage_pipeline(graph, found.assignment, found.stages());
  if (!stages.edges.empty()) return found.warm_up;
  stages.edges.push_back({0, 1});
  stages.send_forward.push_back(graph.latency);
  stages.send_backward.push_back(graph.latency);
  const auto chosen = choose_warm_up(stages, request.microbatches, request.transfers, options.memory_limit);
  return chosen ? chosen->warm_up : found.warm_up;
}

/// The plan of stages and warm-up counts.
[[nodiscard]] inline plan makespan_plan(const profile& model, const plan_request& request, const operator_graph& graph,
                                        const load_options& options, const graph_makespan& found) {
  const std::vector<std::uint8_t> kinds(found.stages(), 0);
  plan_request unscheduled = request;
  unscheduled.microbatches = 0;
  plan result = detail::described_graph_plan(model, unscheduled, graph, found.assignment,
                                             stage_figures(graph, found.assignment, kinds, options));
  if (!result.messages.links.empty()) result.messages.kind = to_string(request.transfers);
  const std::vector<std::size_t> warm_up = requested_warm_up(graph, request, options, found);
  bool falling = true;
  for (std::size_t s = 0; s < found.stages(); ++s) {
    result.stages[s].cost = result.stages[s].forward + result.stages[s].backward;
    result.stages[s].in_flight = std::min(warm_up[s] + 1, request.microbatches);
    falling = falling && (s == 0 || result.stages[s].in_flight <= result.stages[s - 1].in_flight);
  }
  result.schedule = {to_string(schedule_kind::in_flight), request.microbatches};
  if (!falling) {
    const stage_pipeline stages = make_stage_pipeline(graph, found.assignment, found.stages());
    result.schedule = {"", request.microbatches, warm_up_schedule(stages, warm_up, request.microbatches).orders};
  }
  predict(result, false);
  return result;
}

/// A plan whose stages fit with few microbatches in flight: the least load among those that fit with one on every
/// stage, then as many in flight as fit. Infeasible if none fits with one.
/// @param bound  lower bound of the iteration, in seconds
[[nodiscard]] inline outcome<plan> plan_few_in_flight(const profile& model, const plan_request& request,
                                                      const operator_graph& graph, load_request load, double bound) {
  load.load.microbatches = 1;
  if (load.search.time_limit) *load.search.time_limit /= 4;  // left by the search for the makespan
  limit_rounds(load.search, graph.operators.size(), 0.25);
  const auto parts = minimize_load(graph, load);
  if (!parts)
    return parts.state() == state::infeasible ? outcome<plan>::infeasible(parts.why()) : outcome<plan>::unknown({});
  graph_makespan found;
  found.assignment = parts->assignment;
  found.warm_up.assign(parts->stages.size(), 0);
  const auto fits = [&](const plan& made) {
    return std::all_of(made.stages.begin(), made.stages.end(), [&](const planned_stage& stage) {
      return !load.load.memory_limit || stage.total_memory() <= *load.load.memory_limit;
    });
  };
  plan best = makespan_plan(model, request, graph, load.load, found);
  if (!fits(best)) return outcome<plan>::unknown({});
  const double room = load.load.memory_limit ? *load.load.memory_limit - most_beside(best) : 0;
  const auto more = choose_warm_up(make_stage_pipeline(graph, found.assignment, found.stages()), request.microbatches,
                                   request.transfers, load.load.memory_limit ? std::optional(room) : std::nullopt);
  if (more) {
    found.warm_up = more->warm_up;
    plan made = makespan_plan(model, request, graph, load.load, found);
    if (fits(made) && last_pass(made) < last_pass(best)) best = std::move(made);
  }
  const double passes = last_pass(best);
  best.objective = {"makespan", "time", passes, std::min(bound, passes), state::feasible};
  return outcome<plan>::feasible(std::move(best));
}

/// Drops stages without operators behind all others, which a search with fixed stage numbers may keep.
/// @return  whether no other stage is empty
[[nodiscard]] inline bool leave_out_empty(graph_makespan& found) {
  std::vector<bool> used(found.stages(), false);
  for (const std::size_t stage : found.assignment) used[stage] = true;
  while (used.size() > 1 && !used.back()) used.pop_back();
  found.warm_up.resize(used.size());
  return std::find(used.begin(), used.end(), false) == used.end();
}

/// The answer of a plan that fits.
/// @param proved  whether it is optimal with all of the memory: a proof with less does not count
[[nodiscard]] inline outcome<plan> makespan_answer(plan result, const graph_makespan& found, bool proved) {
  const double passes = last_pass(result);
  proved = proved && passes <= found.value * (1 + 1e-9);
  result.objective = {"makespan", "time", passes, proved ? passes : std::min(found.bound, passes),
                      proved ? state::optimal : state::feasible};
  return proved ? outcome<plan>::optimal(std::move(result)) : outcome<plan>::feasible(std::move(result));
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
  search_options most = request.search;
  // A quarter of the time, or less, was for the starts; half of the rest is kept for what may not fit.
  if (most.time_limit) *most.time_limit *= 0.75;
  const engine::shared_effort effort(most);
  double beside = 0, bound = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    // Workspaces and buffers depend on the stages: reserves memory for them until it is enough.
    if (load.load.memory_limit) asked.memory_limit = std::max(0.0, *load.load.memory_limit - beside);
    asked.search = effort.share(load.load.memory_limit && attempt < 3 ? 0.5 : 1);
    auto found = minimize_graph_makespan(graph, asked, starts);
    if (!found && attempt == 0) {
      return found.state() == state::infeasible ? outcome<plan>::infeasible(found.why())
                                                : outcome<plan>::unknown(found.why());
    }
    if (attempt == 0) bound = found->bound;  // of any plan: nothing is reserved yet
    if (!found || !leave_out_empty(*found)) break;
    found->bound = std::min(found->bound, bound);
    plan result = makespan_plan(model, request, graph, load.load, *found);
    bool fits = true;
    for (const planned_stage& stage : result.stages) {
      fits = fits && (!load.load.memory_limit || stage.total_memory() <= *load.load.memory_limit);
    }
    if (!fits) {
      beside = std::max(beside, most_beside(result));
      continue;
    }
    return makespan_answer(std::move(result), *found, found.state() == state::optimal && beside == 0);
  }
  return plan_few_in_flight(model, request, graph, load, bound);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The operators with their costs: without messages if these occupy nothing.
[[nodiscard]] inline operator_graph priced_graph(const operator_graph& graph, const plan_request& request) {
  if (request.by == measure::time_and_memory) return weighted_operators(graph, request.time_weight);
  operator_graph result = graph;
  if (request.links.empty() || request.transfers != transfer_kind::latency) return result;
  for (graph_operator& each : result.operators) each.sent_seconds = each.sent_back_seconds = 0;
  for (operator_edge& edge : result.edges) {
    if (edge.tensor) edge.tensor->sent_seconds = edge.tensor->sent_back_seconds = 0;
  }
  result.latency = 0;
  return result;
}

/// The stages of a partition by another cost, with their times and those costs.
[[nodiscard]] inline std::vector<graph_stage> with_times(const operator_graph& graph, const graph_partition& found,
                                                         const load_options& options) {
  std::vector<std::uint8_t> kinds;
  for (const graph_stage& stage : found.stages) kinds.push_back(stage.on_cpu ? 1 : 0);
  std::vector<graph_stage> result = stage_figures(graph, found.assignment, kinds, options);
  for (std::size_t s = 0; s < result.size(); ++s) result[s].load = found.stages[s].load;
  return result;
}

/// Chunks as stages, with the times of each; the load is the device's.
[[nodiscard]] inline std::vector<graph_stage> chunk_stages(const operator_graph& graph, const virtual_partition& found,
                                                           load_options options) {
  std::vector<std::uint8_t> kinds;
  std::vector<double> speeds;
  for (const std::size_t d : found.device_of) {
    kinds.push_back(found.devices[d].on_cpu ? 1 : 0);
    if (!options.speeds.empty()) speeds.push_back(options.speeds[d]);
  }
  options.speeds = std::move(speeds);
  std::vector<graph_stage> result = stage_figures(graph, found.assignment, kinds, options);
  for (std::size_t c = 0; c < result.size(); ++c) result[c].load = found.devices[found.device_of[c]].load;
  return result;
}

/// Cuts a graph into chunks, several per device.
[[nodiscard]] inline outcome<plan> plan_graph_chunks(const profile& model, const plan_request& request,
                                                     const operator_graph& graph, const load_request& load) {
  const bool weighted = request.by == measure::time_and_memory;
  const virtual_stage_request asked{load.devices, load.cpus, load.at_most, request.stages_per_rank,
                                    load.method,  load.load, load.search};
  const auto found = virtual_stages(priced_graph(graph, request), asked);
  if (found.state() == state::infeasible) return outcome<plan>::infeasible(found.why());
  if (!found) return outcome<plan>::unknown(found.why());
  bool one_each = true;
  for (std::size_t c = 0; c < found->device_of.size(); ++c) one_each = one_each && found->device_of[c] == c;
  plan result = described_graph_plan(model, request, graph, found->assignment, chunk_stages(graph, *found, load.load),
                                     one_each ? std::vector<std::size_t>() : found->device_of);
  result.objective = {"bottleneck", weighted ? "time and memory" : "time", found->value, found->bound, found.state()};
  return found.state() == state::optimal ? outcome<plan>::optimal(std::move(result))
                                         : outcome<plan>::feasible(std::move(result));
}

}  // namespace detail

STAGECUT_DECL outcome<plan> plan_graph_fn::operator()(const profile& model, const plan_request& given) const {
  plan_request request = given;
  request.as_graph = true;  // a chain, too
  request = with_usual_limit(model, std::move(request));
  detail::check_graph_request("plan_graph", model, request);
  if (request.method == graph_method::communication) return detail::plan_communication("plan_graph", model, request);
  if (request.objective == plan_objective::makespan) return detail::plan_graph_makespan("plan_graph", model, request);
  const bool by_makespan = detail::means_graph_makespan(model, request);
  if (by_makespan) {
    outcome<plan> made = detail::plan_graph_makespan("plan_graph", model, request);
    // The search may find nothing although a plan of the least load is known: that is better than none.
    if (made || made.state() == state::infeasible) return made;
  }
  const operator_graph graph = detail::planned_graph(model, request);
  load_request load = detail::load_request_of(model, request);
  if (by_makespan) detail::limit_rounds(load.search, model.layers.size(), 1);
  const auto tell = [&](const search_progress& now) {
    request.search.progress({now.seconds, now.value, now.bound, now.nodes, 0});
  };
  if (request.search.progress) load.search.progress = tell;
  if (request.stages_per_rank > 1) return detail::plan_graph_chunks(model, request, graph, load);
  const bool weighted = request.by == measure::time_and_memory;
  const auto found = minimize_load(detail::priced_graph(graph, request), load);
  // 1F1B does not fit: fewer microbatches in flight might, but no such plan was found.
  if (found.state() == state::infeasible && by_makespan) return outcome<plan>::unknown({});
  if (found.state() == state::infeasible) return outcome<plan>::infeasible(found.why());
  if (!found) return outcome<plan>::unknown(found.why());
  std::vector<graph_stage> stages = found->stages;
  if (weighted) stages = detail::with_times(graph, *found, load.load);
  plan result = detail::described_graph_plan(model, request, graph, found->assignment, stages);
  result.objective = {"bottleneck", weighted ? "time and memory" : "time", found->value, found->bound, found.state()};
  return found.state() == state::optimal ? outcome<plan>::optimal(std::move(result))
                                         : outcome<plan>::feasible(std::move(result));
}

}  // namespace stagecut::inline STAGECUT_ABI
