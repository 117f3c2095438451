// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulation.hpp>

// What makes the problem of a request.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether an objective is of stages on several devices.
[[nodiscard]] constexpr bool is_of_several_devices(plan_objective of) noexcept {
  return of == plan_objective::iteration || of == plan_objective::stage_time || of == plan_objective::pipeline_latency;
}

/// Whether stages may have several devices.
[[nodiscard]] inline bool has_several_devices(const plan_request& request) {
  return !request.replicas.empty() || !request.tensor_parallel.empty() || is_of_several_devices(request.objective);
}

/// Whether a list of the choices is given, or the schedule is open.
[[nodiscard]] inline bool has_open_choices(const plan_request& request) {
  const plan_choices& of = request.choices;
  return request.any_schedule || !of.devices.empty() || !of.stages_per_rank.empty() || !of.microbatches.empty() ||
         !of.schedules.empty();
}

/// Rejects parts of a request that only `plan_model` takes.
/// @param function  the called planner
inline void check_plain(std::string_view function, const profile& model, const plan_request& request) {
  const auto refuse = [&](bool has, const char* argument) {
    if (!has) return;
    fail(argument_error(function, argument, "{…}", "is planned by plan_model: include <stagecut/joint/plan_model.hpp>"));
  };
  refuse(has_open_choices(request), request.any_schedule ? "any_schedule" : "choices");
  refuse(request.recomputations.has_value(), "recomputations");
  refuse(request.empty_stages, "empty_stages");
  refuse(!request.replicas.empty(), "replicas");
  refuse(!request.tensor_parallel.empty(), "tensor_parallel");
  refuse(request.device_size != 1, "device_size");
  refuse(request.inference && !model.inference, "inference");
  refuse(request.method == graph_method::modules, "method");
}

/// Whether a model or a request needs a graph planner.
[[nodiscard]] inline bool is_for_graphs(const profile& model, const plan_request& request) {
  if (request.as_graph || request.cpus != 0 || request.at_most || request.method != graph_method::automatic)
    return true;
  for (const auto& layer : model.layers) {
    if (layer.stage || !layer.accelerator || layer.is_backward) return true;
  }
  return false;
}

/// Whether an `automatic` objective of a graph means the makespan: it is known, and no load method was requested.
[[nodiscard]] inline bool means_graph_makespan(const profile& model, const plan_request& request) {
  if (request.objective != plan_objective::automatic || request.method != graph_method::automatic) return false;
  const bool moves = request.transfers == transfer_kind::link || request.transfers == transfer_kind::latency;
  if (request.microbatches == 0 || request.stages_per_rank != 1 || request.cpus != 0 || !request.speeds.empty() ||
      !moves || request.schedule != schedule_kind::one_forward_one_backward || request.by != measure::time) {
    return false;
  }
  return std::any_of(model.layers.begin(), model.layers.end(), [](const layer& each) { return each.time() > 0; });
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
