// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// Errors in requests for inference, and requests that only inference allows.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects training options for a profile of inference, and the reverse.
inline void check_inference(std::string_view function, const profile& model, const plan_request& request) {
  const auto refuse = [&](const char* argument, const std::string& value, const char* requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  const bool per_token = request.objective == plan_objective::time_per_token;
  if (!model.inference) {
    if (per_token) refuse("objective", "time-per-token", "is of inference, and the profile is of training");
    return;
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].backward == 0) continue;
    fail(invalid_input(layer_text(model, i), "has a backward pass, and the profile is of inference"));
  }
  if (per_token && request.by != measure::time) refuse("objective", "time-per-token", "is a time: cut by time");
  if (request.microbatches != 0) {
    refuse("microbatches", std::to_string(request.microbatches), "is of training: inference has no iteration");
  }
  if (request.stages_per_rank > 1) {
    refuse("stages_per_rank", std::to_string(request.stages_per_rank),
           "is of training: in inference a device has one stage");
  }
  if (request.schedule != plan_request{}.schedule) {
    refuse("schedule", to_string(request.schedule), "is of training: in inference nothing goes back");
  }
  if (request.memory_accounting.checkpoint != checkpointing::never) {
    refuse("memory_accounting.checkpoint", to_string(request.memory_accounting.checkpoint),
           "is of training: in inference nothing is computed again");
  }
  if (!request.optimizer.empty()) {
    refuse("optimizer", request.optimizer, "is of training: in inference parameters alone stay");
  }
}

/// How memory is computed: inference keeps no gradients and no optimizer state.
[[nodiscard]] inline memory_options memory_of_request(const profile& model, const plan_request& request) {
  memory_options result = request.memory_accounting;
  if (model.inference) result.parameter_multiplier = 1;
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
