// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/graph/graph_of_profile.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/parts/check_request.hpp>
#include <stagecut/plan/parts/request_problem.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// The request fields that graph plans use, translated for the graph partitioners.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Which function plans by schedules other than 1F1B and GPipe.
inline constexpr const char* no_row =
    "where stages do not stand in a row: make_plan puts them so, but with cpus, at_most, a method, fixed stages or "
    "layers of the backward pass alone";

/// Rejects an invalid request, or one not for graphs.
inline void check_graph_request(std::string_view function, const profile& model, const plan_request& request) {
  const auto refuse = [&](std::string_view argument, const std::string& value, std::string_view requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  check_plain(function, model, request);
  if (model.layers.empty()) refuse("model.layers", "{}", "must hold at least one layer");
  if (request.devices == 0) refuse("devices", "0", "must be at least 1");
  if (request.devices >> 20U != 0) refuse("devices", std::to_string(request.devices), "must be below 2^20");
  if (request.cpus >> 20U != 0) refuse("cpus", std::to_string(request.cpus), "must be below 2^20");
  if (model.inference)
    refuse("model.inference", "true", "is not supported for a graph: inference is planned as a chain");
  check_names(function, request);
  check_numbers(function, model, request);
  check_devices(function, request);
  if (request.best_in_flight) refuse("best_in_flight", "true", "is for chains only");
  if (!request.in_flight.empty())
    refuse("in_flight", "{…}", "is given by the schedule, or chosen for the makespan, in a graph");
  if (request.stages_per_rank == 0 || request.stages_per_rank >> 20U != 0) {
    refuse("stages_per_rank", std::to_string(request.stages_per_rank), "must be from 1 to below 2^20");
  }
  if (request.stages_per_rank != 1 && request.objective == plan_objective::makespan) {
    refuse("stages_per_rank", std::to_string(request.stages_per_rank), joined({"must be 1 for the makespan ", no_row}));
  }
  for (std::size_t i = 0; i < model.layers.size() && request.stages_per_rank != 1; ++i) {
    if (!model.layers[i].stage) continue;
    refuse("stages_per_rank", std::to_string(request.stages_per_rank),
           joined({"must be 1 where layers have to stand on a stage, as ", layer_text(model, i)}));
  }
  if (request.group != 0) refuse("group", std::to_string(request.group), "is of several stages on a device");
  if (request.by != measure::time && request.by != measure::time_and_memory) {
    refuse("by", "another measure", "must be time, or time_and_memory, for a graph");
  }
  if (request.links.size() > 1)
    refuse("links.size()", std::to_string(request.links.size()), "must be at most 1 for a graph");
  if (request.topology) refuse("topology", "{…}", "is not supported for a graph: give one link for all");
  const plan_objective of = request.objective;
  const bool least_sent = request.method == graph_method::communication;
  if (least_sent && of != plan_objective::automatic && of != plan_objective::communication) {
    refuse("objective", to_string(of), "must be left out where the method is communication, or communication");
  }
  if (least_sent && request.stages_per_rank != 1) {
    refuse("stages_per_rank", std::to_string(request.stages_per_rank), "must be 1 where the method is communication");
  }
  if (!least_sent && of != plan_objective::automatic && of != plan_objective::bottleneck &&
      of != plan_objective::makespan) {
    refuse("objective", to_string(of), "must be bottleneck or makespan for a graph");
  }
  if (!request.memory_limit.of_ranks().empty()) {
    refuse("memory_limit", "{…}", "is not supported for a graph: give one memory limit for all devices");
  }
  if (!request.forbidden_cuts.empty()) refuse("forbidden_cuts", "{…}", "is for chains only: set groups of layers");
  if (!request.kept_together.empty()) refuse("kept_together", "{…}", "is for chains only: set groups of layers");
  if (!request.speeds.empty() && (request.cpus != 0 || request.at_most)) {
    refuse("speeds", "{…}", "needs a stage on every device: cpus must be 0, and at_most false");
  }
  const bool known =
      request.schedule == schedule_kind::one_forward_one_backward || request.schedule == schedule_kind::gpipe;
  if (!known) {
    refuse("schedule", to_string(request.schedule), joined({"must be 1f1b or gpipe ", no_row}));
  }
  if (request.schedule == schedule_kind::gpipe && request.microbatches == 0 && request.memory_limit.for_all()) {
    refuse("microbatches", "0", "must be known: gpipe keeps all of them in flight");
  }
}

/// The link between all devices; of the profile's machine if the request has none.
[[nodiscard]] inline std::optional<link_speed> graph_link(const profile& model, const plan_request& request) {
  return request.links.empty() ? model.machine.link : std::optional(request.links[0]);
}

/// The bytes of a device; of the profile's machine if the request has none.
[[nodiscard]] inline std::optional<double> graph_memory(const profile& model, const plan_request& request) {
  const std::optional<double> all =
      request.memory_limit.for_all() ? request.memory_limit.for_all() : model.machine.memory;
  return all ? std::optional(*all * (1 - request.buffer_fraction)) : std::nullopt;
}

/// Bytes of buffers per byte that a stage receives or sends.
[[nodiscard]] inline double graph_buffers(const profile& model, const plan_request& request) {
  return model.machine.buffers ? request.memory_accounting.boundary_buffers : 0;
}

/// The operators of a model, as a request runs them.
[[nodiscard]] inline operator_graph planned_graph(const profile& model, const plan_request& request) {
  graph_options options;
  options.link = graph_link(model, request);
  options.memory_accounting = request.memory_accounting;
  operator_graph result = graph_of(model, options);
  if (request.schedule != schedule_kind::gpipe || request.microbatches == 0) return result;
  for (graph_operator& each : result.operators) each.activations *= static_cast<double>(request.microbatches);
  return result;
}

/// Whether a stage computes, then sends and receives. Message times of a profile's machine are added to the work.
[[nodiscard]] inline bool messages_one_by_one(const plan_request& request) {
  return request.links.empty() || request.transfers == transfer_kind::blocking;
}

/// The request for the graph partitioners.
[[nodiscard]] inline load_request load_request_of(const profile& model, const plan_request& request) {
  load_request result;
  result.devices = request.devices;
  result.cpus = request.cpus;
  result.at_most = request.at_most;
  result.method = request.method;
  result.load.overlap = messages_one_by_one(request) ? message_overlap::none : message_overlap::full;
  result.load.speeds = request.speeds;
  result.load.memory_limit = graph_memory(model, request);
  result.load.in_flight = request.schedule == schedule_kind::one_forward_one_backward;
  result.load.microbatches = request.microbatches;
  result.load.boundary_buffers = graph_buffers(model, request);
  result.search.time_limit = request.search.time_limit;
  result.search.node_limit = request.search.node_limit;
  result.search.stop = request.search.stop;
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
