// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

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

/// Whether a model or a request needs a graph planner.
[[nodiscard]] inline bool is_for_graphs(const profile& model, const plan_request& request) {
  if (request.cpus != 0 || request.at_most || request.method != graph_method::automatic) return true;
  for (const layer& each : model.layers) {
    if (each.stage || !each.accelerator || each.is_backward) return true;
  }
  return false;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
