// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

// Why a plan does not say when its iteration ends, or is not cut by it.
namespace stagecut::inline STAGECUT_ABI {

/// Forward passes of an iteration up to which plans predict it, which takes memory for each.
inline constexpr std::size_t most_predicted = std::size_t{1} << 20U;

namespace detail {

/// Whether an iteration of stages that there are has no more of them.
[[nodiscard]] constexpr bool is_short(const plan_request& request) noexcept {
  return request.chunks <= most_predicted / request.devices &&
         request.microbatches <= most_predicted / (request.devices * request.chunks);
}

}  // namespace detail

/// Why a plan of a request does not predict when its iteration ends, in a few words; empty if it does.
[[nodiscard]] inline std::string prediction_obstacle(const plan_request& request) {
  if (request.microbatches == 0) return "the number of microbatches is not known";
  if (request.devices == 0 || request.chunks == 0) return "there is no device, or no stage on it";
  return detail::is_short(request) ? "" : "there are more than 2^20 forward passes";
}

/// Why the makespan of a request is nothing that can be minimised, in a few words; empty if it is: then `make_plan`
/// minimises it, unless it is asked for something else. What is wrong by itself, a schedule that is not made for these
/// numbers say, is refused when it is asked.
[[nodiscard]] inline std::string makespan_obstacle(const profile& model, const plan_request& request) {
  if (model.inference) return "the profile is of inference, where nothing goes back";
  const std::string unpredicted = prediction_obstacle(request);
  const bool too_long = request.devices != 0 && request.chunks != 0 && !detail::is_short(request);
  if (!unpredicted.empty() && !too_long) return unpredicted;
  if (request.by != measure::time) return "stages are measured by something else than time";
  bool timed = false;
  for (const layer& each : model.layers) timed = timed || each.time() > 0;
  if (!timed) return "no layer has a time";
  if (request.memory.checkpoint == checkpointing::except_last) {
    return "the last microbatch takes less time than the others";
  }
  return unpredicted;
}

}  // namespace stagecut::inline STAGECUT_ABI
