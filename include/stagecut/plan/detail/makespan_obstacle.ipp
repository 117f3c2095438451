// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/makespan_obstacle.hpp>

#include <string>

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::string prediction_obstacle(const plan_request& request) {
  if (request.microbatches == 0) return "the number of microbatches is not known";
  if (request.devices == 0 || request.stages_per_rank == 0) return "there is no device, or no stage on it";
  return detail::is_short(request) ? "" : "there are more than 2^20 forward passes";
}

STAGECUT_DECL std::string makespan_obstacle(const profile& model, const plan_request& request) {
  if (model.inference) return "the profile is of inference, where nothing goes back";
  const std::string unpredicted = prediction_obstacle(request);
  const bool too_long = request.devices != 0 && request.stages_per_rank != 0 && !detail::is_short(request);
  if (!unpredicted.empty() && !too_long) return unpredicted;
  if (request.by != measure::time) return "stages are measured by something else than time";
  bool timed = false;
  for (const auto& layer : model.layers) timed = timed || layer.time() > 0;
  if (!timed) return "no layer has a time";
  if (request.memory_accounting.checkpoint == checkpointing::except_last) {
    return "the last microbatch takes less time than the others";
  }
  return unpredicted;
}

}  // namespace stagecut::inline STAGECUT_ABI
