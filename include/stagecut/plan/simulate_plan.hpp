// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulation.hpp>

// What a simulation of a plan needs, from the plan.
namespace stagecut::inline v0 {

/// The ops of a plan's schedule.
///
/// @return  the schedule of its name, for its devices, chunks and microbatches, and its microbatches in flight; GPipe
///          that keeps the activations of the last microbatch sends that back first, as torchgpipe does
/// @throws  invalid_input if the plan names no schedule or one that there is not, knows no microbatches, or places its
///          stages on other devices than the schedule does; argument_error for a shape that the schedule cannot have
[[nodiscard]] inline schedule schedule_of(const plan& made) {
  const schedule_entry* const entry = find_schedule(made.schedule.name);
  const std::string name = detail::in_quotes(made.schedule.name);
  if (made.schedule.name.empty()) detail::fail(invalid_input("plan", "names no schedule"));
  if (entry == nullptr) detail::fail(invalid_input("plan", detail::joined("its schedule ", name, " is not known")));
  if (made.schedule.microbatches == 0) detail::fail(invalid_input("plan", "knows no number of microbatches"));
  schedule_shape shape;
  shape.ranks = made.devices;
  shape.chunks = made.chunks;
  shape.microbatches = made.schedule.microbatches;
  if (entry->takes == shape_figure::in_flight) {
    for (const planned_stage& stage : made.stages) shape.in_flight.push_back(stage.in_flight);
  }
  const bool last_first = entry->kind == schedule_kind::gpipe && made.memory.checkpoint == "except_last";
  schedule result = make_schedule(last_first ? schedule_kind::gpipe_lifo : entry->kind, shape);
  for (std::size_t s = 0; s < result.stages(); ++s) {
    if (s < made.stages.size() && made.stages[s].device == result.rank_of[s]) continue;
    detail::fail(
        invalid_input("plan", detail::joined("stage ", std::to_string(s), " is not on device ",
                                             std::to_string(result.rank_of[s]), ", where ", name, " runs it")));
  }
  return result;
}

/// How long the passes of a plan's stages take, in its unit.
///
/// @param made   the plan
/// @param split  whether I and W are wanted beside B; those of the layers are divided by the speed of the device
/// @return       one element a stage; where all microbatches but the last recompute, one a stage and microbatch for B
/// @throws       invalid_input if I and W are wanted and a layer does not tell them apart
[[nodiscard]] inline pass_times<double> times_of(const plan& made, bool split) {
  const bool last_kept = made.memory.checkpoint == "except_last" && made.schedule.microbatches != 0;
  const std::size_t m = made.schedule.microbatches;
  pass_times<double> result;
  for (std::size_t s = 0; s < made.stages.size(); ++s) {
    const planned_stage& stage = made.stages[s];
    result.forward.push_back(stage.forward);
    double whole = 0;
    double weight = 0;
    for (std::size_t i = made.cuts.stage(s).first; i < made.cuts.stage(s).last; ++i) {
      const layer& each = made.profile.layers[i];
      whole += each.backward;
      if (split && !each.backward_weight) {
        detail::fail(
            invalid_input(detail::layer_text(made.profile, i),
                          "has no backward_weight: the schedule runs the gradients of input and weights apart"));
      }
      weight += each.backward_weight.value_or(0);
    }
    if (stage.device < made.speeds.size()) {
      whole /= made.speeds[stage.device];
      weight /= made.speeds[stage.device];
    }
    for (std::size_t k = 0; k < (last_kept ? m : 1); ++k) {
      const double backward = !last_kept ? stage.backward : k + 1 < m ? whole + stage.forward : whole;
      result.backward.push_back(backward);
      if (!split) continue;
      // What recomputes does so before the gradient of the input.
      result.backward_input.push_back(weight < backward ? backward - weight : 0);
      result.backward_weight.push_back(weight);
    }
  }
  return result;
}

/// What a plan's stages keep, of any schedule; empty where it does not know their memory.
///
/// What is checkpointed keeps the input of its stage, and all activations while it goes back.
[[nodiscard]] inline stage_bytes bytes_of(const plan& made) {
  stage_bytes result;
  bool any = false;
  for (const planned_stage& stage : made.stages) {
    const stage_memory& memory = stage.memory;
    if (stage.in_flight == 0) return {};
    any = any || memory != stage_memory{};
    result.resident.push_back(memory.resident + memory.workspace + memory.buffers);
  }
  if (!any) return {};
  const bool checkpoints = !made.memory.checkpoint.empty() && made.memory.checkpoint != "never";
  const bool last_kept = checkpoints && made.memory.checkpoint == "except_last" && made.schedule.microbatches != 0;
  const std::size_t m = last_kept ? made.schedule.microbatches : 1;
  for (std::size_t s = 0; s < made.stages.size(); ++s) {
    const double held = made.stages[s].memory.activations;
    const auto in_flight = static_cast<double>(made.stages[s].in_flight);
    const double input = s == 0 ? 0 : made.profile.layers[made.cuts[s] - 1].output;
    const double inputs = input * (last_kept ? in_flight - 1 : in_flight);
    const double all = inputs < held ? held - inputs : 0;  // of one microbatch
    for (std::size_t k = 0; k < m; ++k) {
      const bool kept = !checkpoints || (last_kept && k + 1 == m);
      result.activations.push_back(!checkpoints ? held / in_flight : kept ? all : input);
      if (checkpoints) result.recomputed.push_back(kept ? 0 : all);
    }
  }
  return result;
}

/// What messages between a plan's stages take over its own links; none if it has none.
///
/// @param made    the plan
/// @param slices  of every microbatch, each a message of its own
/// @throws        invalid_input for a kind that there is not, and for links neither one nor one for each boundary
[[nodiscard]] inline transfer_times<double> transfers_of(const plan& made, std::size_t slices = 1) {
  transfer_times<double> result;
  const std::vector<link_speed>& links = made.messages.links;
  if (links.empty()) return result;
  const auto* const known = stagecut::find_name(transfer_kind_words, made.messages.kind);
  if (known == nullptr) {
    detail::fail(invalid_input(
        "plan", detail::joined("its messages of kind ", detail::in_quotes(made.messages.kind), " are not known")));
  }
  result.kind = known->value;
  if (links.size() != 1 && links.size() + 1 != made.cuts.stages()) {
    detail::fail(invalid_input("plan", "its links are neither one nor one for each boundary of stages"));
  }
  for (std::size_t s = 1; s < made.cuts.stages(); ++s) {
    const double bytes = made.profile.layers[made.cuts[s] - 1].output / static_cast<double>(slices);
    result.forward.push_back(links[links.size() == 1 ? 0 : s - 1](bytes));
  }
  result.backward = result.forward;
  return result;
}

/// What messages between a plan's stages take: `latency`, and the outputs of the layers in front of a boundary divided
/// by `bandwidth`; the gradients that come back are as large.
///
/// @param made       the plan
/// @param latency    of every message, in its unit of time
/// @param bandwidth  bytes in that unit; 0: infinite
/// @param kind       what messages occupy
/// @throws           argument_error if they are negative or not finite
[[nodiscard]] inline transfer_times<double> transfers_of(const plan& made, double latency, double bandwidth,
                                                         transfer_kind kind = transfer_kind::link) {
  for (const auto& [name, value] : {std::pair("latency", latency), std::pair("bandwidth", bandwidth)}) {
    if (is_finite(value) && !is_negative(value)) continue;
    detail::fail(argument_error("transfers_of", name, std::to_string(value), "must be finite and not negative"));
  }
  transfer_times<double> result;
  result.kind = kind;
  for (std::size_t s = 1; s < made.cuts.stages(); ++s) {
    const double bytes = made.profile.layers[made.cuts[s] - 1].output;
    result.forward.push_back(bandwidth == 0 ? latency : latency + bytes / bandwidth);
  }
  result.backward = result.forward;
  return result;
}

}  // namespace stagecut::inline v0
