// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/stage_memory.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/simulate.hpp>

// What planners of profiles have in common.
namespace stagecut::inline v0::detail {

/// Forward passes of an iteration up to which it is predicted, which takes memory for each.
inline constexpr std::size_t most_predicted = std::size_t{1} << 20U;

/// Whether an iteration has no more of them.
[[nodiscard]] inline bool is_predictable(const plan_request& request) {
  const std::size_t m = request.microbatches;
  return m != 0 && m <= most_predicted / (request.devices * request.chunks);
}

/// Why there are not so many stages.
[[nodiscard]] inline reason too_many_stages(const profile& model, const layer_blocks& blocks, std::size_t stages) {
  return {reason::cause::more_stages_than_layers,
          stages,
          blocks.size(),
          {},
          blocks.size() < model.layers.size() ? "layers that must share a stage count as one" : ""};
}

/// Refuses bytes that a limit would say nothing of, and such as nobody has.
inline void check_memory(const training_memory& memory, const plan_request& request,
                         const std::vector<std::size_t>& in_flight) {
  constexpr double most = 1e18;
  std::size_t kept = 1;
  for (const std::size_t each : in_flight) kept = kept < each ? each : kept;
  bool counted = memory.share(0, memory.size(), kept) < most;
  bool any = false;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const double bytes = memory(i, i + 1, kept).total();
    counted = counted && bytes < most;
    any = any || bytes > 0;
  }
  if (request.memory_per_device && !any) {
    fail(invalid_input("model", "no layer takes any bytes: a limit of memory says nothing"));
  }
  if (!counted) fail(invalid_input("model", "its layers take more than 10^18 bytes"));
}

/// Seconds of a layer's backward pass, with what checkpointing recomputes; the mean over the microbatches.
[[nodiscard]] inline double backward_of(const layer& each, checkpointing checkpoint, std::size_t microbatches) {
  const auto m = static_cast<double>(microbatches);
  switch (checkpoint) {
    case checkpointing::never: return each.backward;
    case checkpointing::always: return each.backward + each.forward;
    case checkpointing::except_last: break;
  }
  return each.backward + (m > 0 ? each.forward * ((m - 1) / m) : each.forward);
}

/// The layers that a request lets no cut part.
[[nodiscard]] inline layer_blocks blocks_of(const profile& model, const plan_request& request) {
  return layer_blocks(model, request.forbidden_cuts, request.kept_together);
}

/// The speed of every stage, by its device; empty if all are as profiled.
[[nodiscard]] inline std::vector<double> speeds_of_stages(const plan_request& request,
                                                          const std::vector<std::size_t>& rank_of) {
  std::vector<double> result;
  for (const std::size_t device : rank_of) {
    if (!request.speeds.empty()) result.push_back(request.speeds[device]);
  }
  return result;
}

/// The links of the boundaries of stages, or one for all; empty if messages take no time.
[[nodiscard]] inline std::vector<link_speed> links_of(const plan_request& request,
                                                      const std::vector<std::size_t>& rank_of) {
  return request.topology ? request.topology->links(view<const std::size_t>(rank_of)) : request.links;
}

/// Fills in what a microbatch takes on a stage, on its device.
inline void describe_passes(planned_stage& stage, const profile& model, const interval& layers,
                            const plan_request& request) {
  const checkpointing checkpoint = request.memory.checkpoint;
  double kept = 0;
  double weight = 0;
  bool split = true;
  for (std::size_t i = layers.first; i < layers.last; ++i) {
    const layer& each = model.layers[i];
    stage.forward += each.forward;
    stage.backward += each.backward + (checkpoint == checkpointing::always ? each.forward : 0);
    kept += each.backward;
    split = split && each.backward_weight;
    weight += each.backward_weight.value_or(0);
  }
  if (!request.speeds.empty()) {
    const double speed = request.speeds[stage.device];
    stage.forward /= speed;
    stage.backward /= speed;
    kept /= speed;
    weight /= speed;
  }
  if (split) stage.backward_weight = weight;
  if (checkpoint != checkpointing::except_last) return;
  stage.backward_kept = kept;
  stage.backward = kept + stage.forward;
}

/// The memory of a stage, by what a microbatch takes.
[[nodiscard]] inline planned_memory memory_of(const training_memory& memory, const profile& model,
                                              const interval& layers, checkpointing checkpoint) {
  const auto [first, last] = layers;
  const stage_memory all = memory(first, last, 1);
  const double activations = memory.of_microbatch(first, last);
  if (checkpoint == checkpointing::never) return {all.resident, activations, all.workspace, all.buffers, 0};
  const double input = first == 0 ? 0 : model.layers[first - 1].output;
  return {all.resident, input, all.workspace, all.buffers, activations};
}

/// Fills in what does not depend on why the plan was cut as it is.
///
/// @param result     with its cuts
/// @param rank_of    the device of every stage
/// @param in_flight  microbatches, of every stage; empty if that is not known
inline void describe(plan& result, const profile& model, const plan_request& request, const training_memory& memory,
                     const std::vector<std::size_t>& rank_of, const std::vector<std::size_t>& in_flight) {
  result.profile = model;
  result.devices = request.devices;
  result.chunks = request.chunks;
  result.speeds = request.speeds;
  result.messages.links = links_of(request, rank_of);
  if (!result.messages.links.empty()) result.messages.kind = to_string(request.transfers);
  for (std::size_t s = 0; s < result.cuts.stages(); ++s) {
    planned_stage stage;
    stage.device = rank_of[s];
    describe_passes(stage, model, result.cuts.stage(s), request);
    if (!in_flight.empty()) {
      stage.in_flight = in_flight[s];
      stage.memory = memory_of(memory, model, result.cuts.stage(s), request.memory.checkpoint);
    }
    result.stages.push_back(stage);
  }
  if (in_flight.empty()) return;
  result.memory = {request.optimizer,
                   request.memory.parameter_multiplier,
                   to_string(request.memory.checkpoint),
                   request.memory.boundary_buffers,
                   request.memory_per_device,
                   request.buffer_fraction};
}

/// Predicts the iteration of a plan that is described.
///
/// @param split  whether its schedule runs I and W
inline void predict(plan& result, bool split) {
  const simulation<double> run = simulate(schedule_of(result), times_of(result, split), transfers_of(result));
  result.makespan = run.makespan;
  for (const auto& rank : run.ops) {
    for (const timed_op<double>& each : rank) {
      result.timeline.push_back({each.what.stage, each.what.microbatch, each.what.kind, each.start, each.end});
    }
  }
}

}  // namespace stagecut::inline v0::detail
