// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/graph/detail/check_communication.hpp>
#include <stagecut/graph/detail/describe_graph_plan.hpp>
#include <stagecut/graph/detail/graph_plan_request.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/minimize_communication.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/stage_figures.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

// Plans of graphs for the least communication.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The request for the placement of operators.
[[nodiscard]] inline communication_request communication_request_of(std::string_view function,
                                                                    const plan_request& request) {
  const auto refuse = [&](std::string_view argument, const std::string& value, std::string_view requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  const char* const unknown = "is not known to the method communication, which balances variables and operators alone";
  if (request.cpus != 0) refuse("cpus", std::to_string(request.cpus), unknown);
  if (!request.speeds.empty()) refuse("speeds", "{…}", unknown);
  if (request.memory_limit.for_all()) refuse("memory_limit", number_text(*request.memory_limit.for_all()), unknown);
  if (request.by != measure::time) refuse("by", "another measure", unknown);
  if (is_negative(request.imbalance) || !is_finite(request.imbalance)) {
    refuse("imbalance", number_text(request.imbalance), "must be finite and not negative");
  }
  communication_request result;
  result.devices = request.devices;
  result.variable_imbalance = result.operation_imbalance = request.imbalance;
  result.at_most = request.at_most;
  result.search.time_limit = request.search.time_limit;
  if (request.search.node_limit) result.search.node_limit = request.search.node_limit;
  result.search.stop = request.search.stop;
  return result;
}

/// Renumbers devices without the empty ones; returns how many are left.
inline std::size_t leave_out_empty(std::vector<std::size_t>& device_of, std::size_t devices) {
  std::vector<std::size_t> number(devices, devices);
  for (const std::size_t device : device_of) number[device] = 0;
  std::size_t count = 0;
  for (std::size_t& each : number) each = each == 0 ? count++ : each;
  for (std::size_t& device : device_of) device = number[device];
  return count;
}

/// The plan's name for the unit of communication.
[[nodiscard]] inline const char* sent_unit(const operator_graph& graph) {
  return sends_for_a_time(graph) ? "sent time" : "sent bytes";
}

/// What devices hold, receive and send.
[[nodiscard]] inline std::vector<placed_device> placed_devices(const operator_graph& graph,
                                                               const std::vector<std::size_t>& device_of,
                                                               std::size_t devices) {
  const communication_weights weights = weights_of(graph);
  std::vector<placed_device> result(devices);
  for (std::size_t v = 0; v < device_of.size(); ++v) {
    ++result[device_of[v]].operators;
    result[device_of[v]].variables += weights.variables[v];
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const std::size_t from = device_of[graph.edges[i].from];
    const std::size_t to = device_of[graph.edges[i].to];
    if (from == to) continue;
    result[from].communication += weights.edges[i];
    result[to].communication += weights.edges[i];
  }
  return result;
}

/// Places the operators of a model.
[[nodiscard]] inline outcome<communication_partition> placed_graph(const operator_graph& graph,
                                                                   const plan_request& request,
                                                                   communication_request asked) {
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    if (graph.operators[v].on_accelerator) continue;
    return outcome<communication_partition>::infeasible(
        {reason::cause::constraint, 0, 0, joined({operator_text(graph, v), " does not run on an accelerator"})});
  }
  const auto tell = [&](const search_progress& now) {
    request.search.progress({now.seconds, now.value, now.bound, now.nodes, 0});
  };
  if (request.search.progress) asked.search.progress = tell;
  return minimize_communication(graph, asked);
}

/// The plan whose stages send the least to each other. The cost of a stage is what it receives and sends.
[[nodiscard]] inline outcome<plan> plan_communication(std::string_view function, const profile& model,
                                                      const plan_request& request) {
  const communication_request asked = communication_request_of(function, request);
  const operator_graph graph = planned_graph(model, request);
  const auto found = placed_graph(graph, request, asked);
  if (found.state() == state::infeasible) return outcome<plan>::infeasible(found.why());
  if (!found) return outcome<plan>::unknown(found.why());
  std::vector<std::size_t> stage_of = found->assignment;
  const std::size_t stages = leave_out_empty(stage_of, request.devices);
  for (std::size_t v = 0; v < stage_of.size(); ++v) {
    const std::size_t fixed = graph.operators[v].stage;
    if (fixed == graph_operator::none || fixed == stage_of[v]) continue;
    return outcome<plan>::unknown({reason::cause::constraint, 0, 0,
                                   joined({"the placement found leaves a device before stage ", fixed, " empty, where ",
                                           operator_text(graph, v), " is fixed"}),
                                   "allow no fewer stages than devices"});
  }
  const load_options options = load_request_of(model, request).load;
  std::vector<graph_stage> figures = stage_figures(graph, stage_of, std::vector<std::uint8_t>(stages), options);
  const std::vector<placed_device> devices = placed_devices(graph, stage_of, stages);
  for (std::size_t s = 0; s < stages; ++s) figures[s].load = devices[s].communication;
  plan result = described_graph_plan(model, request, graph, stage_of, figures);
  result.memory.memory_limit = {};  // nothing respected it
  result.objective = {"communication", sent_unit(graph), found->value, found->bound, found.state()};
  return found.state() == state::optimal ? outcome<plan>::optimal(std::move(result))
                                         : outcome<plan>::feasible(std::move(result));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
