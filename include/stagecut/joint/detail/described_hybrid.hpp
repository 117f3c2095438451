// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/profile_options.hpp>
#include <stagecut/plan/detail/describe_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline v0::detail {

/// A stage of it, and how its layers are run.
[[nodiscard]] inline planned_stage described_stage(const profile& model, const profile_options& options,
                                                   const device_choices& choices, const hybrid_request& request,
                                                   const hybrid_cut& found, std::size_t s,
                                                   std::vector<layer_choice>& layers) {
  const hybrid_stage& from = found.stages[s];
  const std::size_t behind = found.stages.size() - s;
  const stage_option& option = from.option;
  planned_stage stage;
  stage.device = s;
  stage.replicas = option.replicas;
  stage.shards = option.ways;
  stage.forward = option.forward;
  stage.backward = option.backward;
  stage.cost = option.time;
  stage.all_reduce = option.all_reduce;
  stage.in_flight = behind < request.microbatches ? behind : request.microbatches;
  const auto share = static_cast<double>(choices.own_microbatches ? 1 : option.replicas);
  const std::vector<std::size_t> mixture = options.mixture(from.first, from.last, option);
  for (std::size_t i = from.first; i < from.last; ++i) {
    const layer_way& way = options.alternative(i, option.ways, mixture[i - from.first]);
    layers[i] = {way.recomputation, way.sharding};
    stage.memory.resident += way.resident;
    stage.memory.activations += way.activations / share;
    const double workspace = way.workspace / share;
    stage.memory.workspace = stage.memory.workspace < workspace ? workspace : stage.memory.workspace;
  }
  stage.memory.resident += options.shared_bytes(from.first, from.last, option.ways);
  const double input = from.first == 0 ? 0 : model.layers[from.first - 1].output;
  const double output = from.last == model.layers.size() ? 0 : model.layers[from.last - 1].output;
  stage.memory.buffers = choices.memory.boundary_buffers * (input + output) / share;
  return stage;
}

/// The plan of what was found.
[[nodiscard]] inline plan described_hybrid(const profile& model, const profile_options& options,
                                           const device_choices& choices, const hybrid_request& request,
                                           plan_objective objective, const hybrid_cut& found) {
  plan result;
  result.profile = model;
  result.devices = found.stages.size();
  result.own_microbatches = choices.own_microbatches;
  result.choices.resize(model.layers.size());
  std::vector<std::size_t> points{0};
  for (std::size_t s = 0; s < found.stages.size(); ++s) {
    points.push_back(found.stages[s].last);
    result.stages.push_back(described_stage(model, options, choices, request, found, s, result.choices));
    if (s == 0) continue;
    link_speed link = options.links().before(found.stages[s].first_device);
    if (!choices.own_microbatches) link.bandwidth *= static_cast<double>(result.stages[s].replicas);
    result.messages.links.push_back(link);
  }
  result.cuts = cuts(points);
  bool any = false;
  for (const link_speed& each : result.messages.links) any = any || each != link_speed();
  if (!any) result.messages.links.clear();
  result.messages.kind = any ? to_string(transfer_kind::link) : "";
  result.schedule = {"1f1b", request.microbatches, {}, 0};
  plan_request as_asked;
  as_asked.memory = choices.memory;
  result.memory = {optimizer_name(model, as_asked),
                   choices.memory.parameter_multiplier,
                   to_string(choices.memory.checkpoint),
                   choices.memory.boundary_buffers,
                   request.memory_per_device,
                   0,
                   {}};
  predict(result, false);
  // Sums in another order differ in the last digit: what is proved stays proved.
  const double value = objective == plan_objective::iteration ? *result.makespan : found.cost;
  const double bound = found.bound < found.cost && found.bound < value ? found.bound : value;
  result.objective = {to_string(objective), "time", value, bound, state::feasible};
  return result;
}

}  // namespace stagecut::inline v0::detail
