// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/parts/recomputed_parts.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A stage of it, and how its layers are run.
template <class Options>
[[nodiscard]] planned_stage described_stage(const Options& options, const device_choices& choices,
                                            const hybrid_request& request, const hybrid_cut& found, std::size_t s,
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
  stage.cost = option.forward + option.backward;
  stage.all_reduce = option.all_reduce;
  stage.in_flight = behind < request.microbatches ? behind : request.microbatches;
  const auto share = static_cast<double>(choices.own_microbatches ? 1 : option.replicas);
  const std::vector<std::size_t> mixture = options.mixture(from.first, from.last, option);
  const std::vector<std::size_t> numbers = options.layers_of(from.first, from.last);
  recomputed_parts again;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const layer_way& way = options.alternative(numbers[i], option.ways, mixture[i]);
    layers[numbers[i]] = {way.recomputation, way.sharding};
    stage.memory.resident += way.resident;
    stage.memory.activations += way.activations / share;
    again.add((way.workspace - way.recomputed) / share, way.recomputed / share);
  }
  again.write_to(stage.memory);
  stage.memory.resident += options.shared_bytes(from.first, from.last, option.ways);
  stage.memory.buffers =
      choices.memory.boundary_buffers * (options.crossing(from.first) + options.crossing(from.last)) / share;
  return stage;
}

/// The plan of what was found.
template <class Options>
[[nodiscard]] plan described_hybrid(const profile& model, const Options& options, const device_choices& choices,
                                    const hybrid_request& request, plan_objective objective, const hybrid_cut& found) {
  plan result;
  result.profile = model;
  result.devices = found.stages.size();
  result.own_microbatches = choices.own_microbatches;
  result.choices.resize(model.layers.size());
  std::vector<std::size_t> stage_of(model.layers.size());
  for (std::size_t s = 0; s < found.stages.size(); ++s) {
    for (const std::size_t i : options.layers_of(found.stages[s].first, found.stages[s].last)) stage_of[i] = s;
    result.stages.push_back(described_stage(options, choices, request, found, s, result.choices));
    if (s == 0) continue;
    if (!model.edges.empty()) result.edges.push_back({s - 1, s, options.crossing(found.stages[s].first)});
    link_speed link = options.links().before(found.stages[s].first_device);
    if (!choices.own_microbatches) link.bandwidth *= static_cast<double>(result.stages[s].replicas);
    result.messages.links.push_back(link);
  }
  assign_stages(result, std::move(stage_of));
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
  // In the time of a stage as many microbatches are run as replicas have of their own.
  const bool own = objective == plan_objective::stage_time && choices.own_microbatches;
  const double at_once = own ? static_cast<double>(choices.replicas[0]) : 1;
  result.objective = {to_string(objective), "time", value / at_once, bound / at_once, state::feasible};
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
