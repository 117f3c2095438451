// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/cost/item_sums.hpp>
#include <stagecut/plan/detail/check_inference.hpp>
#include <stagecut/plan/parts/backward_parts.hpp>
#include <stagecut/plan/parts/stage_devices.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/stage_memory.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/simulate.hpp>

// The figures of a plan's stages and of its iteration, for any way of cutting.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The plan's name for how its memory was computed.
[[nodiscard]] inline std::string optimizer_name(const profile& model, const plan_request& request) {
  if (!request.optimizer.empty()) return request.optimizer;
  if (model.inference) return "inference";
  bool profiled = false;
  for (const auto& layer : model.layers) profiled = profiled || layer.resident;
  if (profiled && request.memory_accounting.use_resident) return "as profiled";
  const double multiplier = request.memory_accounting.parameter_multiplier;
  return multiplier == memory_options{}.parameter_multiplier ? "adam" : number_text(multiplier);
}

/// Fills in the times of a microbatch on a stage, on its device.
inline void describe_passes(planned_stage& stage, const profile& model, const interval& layers,
                            const plan_request& request) {
  const checkpointing checkpoint = request.memory_accounting.checkpoint;
  double kept = 0;
  backward_parts parts;
  for (std::size_t i = layers.first; i < layers.last; ++i) {
    const layer& each = model.layers[i];
    stage.forward += each.forward;
    stage.backward += each.backward + (checkpoint == checkpointing::always ? each.forward : 0);
    kept += each.backward;
    parts.add(each);
    stage.all_reduce += each.update;
  }
  const double speed = request.speeds.empty() ? 1 : request.speeds[stage.device];
  stage.forward /= speed;
  stage.backward /= speed;
  kept /= speed;
  stage.all_reduce /= speed;
  parts.write_to(stage, speed, checkpoint == checkpointing::never ? 0 : stage.forward);
  if (checkpoint != checkpointing::except_last) return;
  stage.backward_kept = kept;
  stage.backward = kept + stage.forward;
}

/// The memory of a stage, by its parts per microbatch.
[[nodiscard]] inline planned_memory memory_of(const training_memory& memory, const profile& model,
                                              const interval& layers, checkpointing checkpoint) {
  const auto [first, last] = layers;
  const stage_memory all = memory(first, last, 1);
  const double activations = memory.of_microbatch(first, last);
  const double whole = memory.recomputed_whole(first, last);
  const double apart = memory.recomputed_apart(first, last) - whole;
  if (checkpoint == checkpointing::never) {
    return {all.resident, activations, all.workspace, all.buffers, whole, apart};
  }
  const double input = first == 0 ? 0 : model.layers[first - 1].output;
  return {all.resident, input, all.workspace, all.buffers, activations + whole, apart};
}

/// Fills in what does not depend on the objective.
///
/// @param result     with its cuts
/// @param rank_of    the device of each stage
/// @param in_flight  microbatches, for each stage; empty if unknown
inline void describe(plan& result, const profile& model, const plan_request& request, const training_memory& memory,
                     const std::vector<std::size_t>& rank_of, const std::vector<std::size_t>& in_flight) {
  result.profile = model;
  result.devices = request.devices;
  result.stages_per_rank = request.stages_per_rank;
  result.speeds = request.speeds;
  result.messages.links = links_of(request, rank_of);
  if (!result.messages.links.empty()) result.messages.kind = to_string(request.transfers);
  const whole_stages whole = whole_stages_of(request);
  for (std::size_t s = 0; s < result.cuts.stages(); ++s) {
    planned_stage stage;
    stage.device = rank_of[s];
    describe_passes(stage, model, result.cuts.stage(s), request);
    if (whole == whole_stages::all || (whole == whole_stages::first && s == 0 && stage.backward_weight)) {
      run_whole(stage, whole == whole_stages::first);
    }
    if (!in_flight.empty()) {
      stage.in_flight = in_flight[s];
      const interval layers = result.cuts.stage(s);
      if (!layers.empty()) stage.memory = memory_of(memory, model, layers, request.memory_accounting.checkpoint);
    }
    result.stages.push_back(stage);
  }
  if (in_flight.empty()) return;
  result.memory = {optimizer_name(model, request),
                   memory_of_request(model, request).parameter_multiplier,
                   to_string(request.memory_accounting.checkpoint),
                   request.memory_accounting.boundary_buffers,
                   request.memory_limit,
                   request.buffer_fraction};
}

/// The end of the last pass of a predicted iteration; later work is not part of the objective.
[[nodiscard]] inline double last_pass(const plan& predicted) {
  double latest = 0;
  for (const timed_pass& pass : predicted.timeline) latest = std::max(latest, pass.end);
  return latest;
}

/// Predicts the iteration of a plan after `describe`.
///
/// @param split  whether its schedule runs I and W
inline void predict(plan& result, bool split) {
  const simulation<double> run = simulate(schedule_of(result), times_of(result, split), transfers_of(result));
  result.makespan = run.makespan;
  for (const auto& rank : run.ops) {
    for (const timed_op<double>& op : rank) {
      result.timeline.push_back({op.what.stage, op.what.microbatch, op.what.kind, op.start, op.end});
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
