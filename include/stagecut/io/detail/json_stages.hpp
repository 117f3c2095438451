// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/plan_fault.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/plan/parts/backward_parts.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/training_memory.hpp>

// The stages of a plan in JSON.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The schema version of a plan's file.
enum class plan_version { first, second, third };

/// @param layers  of the stage; null if they are no interval
inline planned_stage read_stage(const json_value& value, const interval* layers, plan_version version);

/// Converts the figures of a stage from the first version to those of one microbatch. The first version had the mean of
/// its backward passes, and left the gradients of the parameters to the profile.
[[nodiscard]] inline plan_fault upgrade_stage(plan& made, std::size_t s);

/// @param layers  of the stage; null if they are no interval
inline json stage_json(const planned_stage& stage, const interval* layers, const std::string& place);

inline planned_stage read_stage(const json_value& value, const interval* layers, plan_version version) {
  planned_stage stage;
  if (layers != nullptr) {
    for (const auto& [key, expected] : {std::pair("first", layers->first), std::pair("last", layers->last)}) {
      const json_value found = value.at(key);
      if (found.count() == expected) continue;
      found.fail(found.shown(), " does not agree with the cuts: ", std::to_string(expected));
    }
  } else if (const auto first = value.find("first")) {
    first->fail("does not agree with an assignment: the stage is no interval");
  } else if (const auto last = value.find("last")) {
    last->fail("does not agree with an assignment: the stage is no interval");
  }
  const bool second = version != plan_version::first;
  stage.cost = value.at("time").amount();
  stage.device = value.at("device").count();
  stage.forward = value.at("forward").amount();
  stage.backward = value.at("backward").amount();
  if (const auto in_flight = value.find("in_flight")) stage.in_flight = in_flight->count(1);
  if (const auto memory = value.find("memory")) {
    stage.memory.resident = memory->at("resident").amount();
    stage.memory.activations = memory->at("activations").amount();
    if (second) stage.memory.recomputed = memory->at("recomputed").amount();
    if (const auto apart = memory->find("recomputed_apart"); second && apart) {
      stage.memory.recomputed_apart = apart->amount();
    }
    stage.memory.workspace = memory->at("workspace").amount();
    stage.memory.buffers = memory->at("buffers").amount();
    if (second) {
      memory->only({"resident", "activations", "recomputed", "recomputed_apart", "workspace", "buffers"});
    }
    if (!second) memory->only({"resident", "activations", "workspace", "buffers"});
  }
  if (!second) {
    value.only({"first", "last", "time", "device", "forward", "backward", "in_flight", "memory"});
    return stage;
  }
  if (const auto replicas = value.find("replicas")) stage.replicas = replicas->count(1);
  const bool is_former = version == plan_version::second;
  if (const auto degree = value.find_renamed("tensor_parallel", "shards", is_former)) {
    stage.tensor_parallel = degree->count(1);
  }
  if (const auto kept = value.find("backward_kept")) stage.backward_kept = kept->amount();
  if (const auto weight = value.find("backward_weight")) stage.backward_weight = weight->amount();
  if (const auto input = value.find("backward_input")) stage.backward_input = input->amount();
  if (const auto reduce = value.find("all_reduce")) stage.all_reduce = reduce->amount();
  if (const auto cpu = value.find("cpu")) stage.on_cpu = cpu->flag();
  value.only({"first", "last", "time", "device", "replicas", "tensor_parallel", "shards", "forward", "backward",
              "backward_kept", "backward_input", "backward_weight", "all_reduce", "in_flight", "memory", "cpu"});
  return stage;
}

/// Converts the memory of a stage in the first version, for all microbatches in flight, to that for one.
///
/// @param input  bytes of the stage's input
inline void upgrade_memory(planned_stage& stage, const std::string& checkpoint, double input) {
  const double held = stage.memory.activations;
  const std::size_t count = stage.in_flight == 0 ? 1 : stage.in_flight;
  if (stage.memory == planned_memory{}) return;
  if (checkpoint.empty() || checkpoint == to_string(checkpointing::never)) {
    stage.memory.activations = held / static_cast<double>(count);
    return;
  }
  const bool last_kept = checkpoint == to_string(checkpointing::except_last);
  const double inputs = input * static_cast<double>(last_kept ? count - 1 : count);
  stage.memory.activations = input;
  stage.memory.recomputed = inputs < held ? held - inputs : 0;
}

inline plan_fault upgrade_stage(plan& made, std::size_t s) {
  planned_stage& stage = made.stages[s];
  const auto [first, last] = made.cuts.stage(s);
  double kept = 0;
  stagecut::detail::backward_parts parts;
  for (std::size_t i = first; i < last; ++i) {
    const layer& each = made.profile.layers[i];
    kept += each.backward;
    parts.add(each);
  }
  const double speed = stage.device < made.speeds.size() ? made.speeds[stage.device] : 1;
  kept /= speed;
  const std::string& checkpoint = made.memory.checkpoint;
  const bool again = !checkpoint.empty() && checkpoint != to_string(checkpointing::never);
  parts.write_to(stage, speed, again ? stage.forward : 0);
  upgrade_memory(stage, made.memory.checkpoint, first == 0 ? 0 : made.profile.layers[first - 1].output);
  if (made.memory.checkpoint != to_string(checkpointing::except_last)) return {};
  stage.backward_kept = kept;
  stage.backward = kept + stage.forward;
  if (is_finite(stage.backward)) return {};
  return {element_at("/stages", s, "/backward"), "the time of its layers", "is out of range"};
}

inline json stage_json(const planned_stage& stage, const interval* layers, const std::string& place) {
  json_object object(place);
  if (layers != nullptr) {
    object.set("first", layers->first);
    object.set("last", layers->last);
  }
  object.amount("time", stage.cost);
  object.set("device", stage.device);
  if (stage.on_cpu) object.set("cpu", true);
  if (stage.replicas != 1) object.set("replicas", stage.replicas);
  if (stage.tensor_parallel != 1) object.set("tensor_parallel", stage.tensor_parallel);
  object.amount("forward", stage.forward);
  object.amount("backward", stage.backward);
  object.amount("backward_kept", stage.backward_kept);
  object.amount("backward_input", stage.backward_input);
  object.amount("backward_weight", stage.backward_weight);
  if (stage.all_reduce != 0) object.amount("all_reduce", stage.all_reduce);
  if (stage.in_flight != 0) object.set("in_flight", stage.in_flight);
  if (stage.memory != planned_memory{}) {
    json_object memory(object.at("memory"));
    memory.amount("resident", stage.memory.resident);
    memory.amount("activations", stage.memory.activations);
    memory.amount("recomputed", stage.memory.recomputed);
    if (stage.memory.recomputed_apart != 0) memory.amount("recomputed_apart", stage.memory.recomputed_apart);
    memory.amount("workspace", stage.memory.workspace);
    memory.amount("buffers", stage.memory.buffers);
    object.set("memory", memory.members());
  }
  return object.members();
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
