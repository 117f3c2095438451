// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

// Why a plan does not predict its makespan, or is not cut by it.
namespace stagecut::inline STAGECUT_ABI {

/// The most forward passes of an iteration for which plans predict it; a prediction takes memory for each.
inline constexpr std::size_t most_predicted = std::size_t{1} << 20U;

namespace detail {

/// Whether an iteration with all stages used has at most that many.
[[nodiscard]] constexpr bool is_short(const plan_request& request) noexcept {
  return request.stages_per_rank <= most_predicted / request.devices &&
         request.microbatches <= most_predicted / (request.devices * request.stages_per_rank);
}

}  // namespace detail

/// Why a plan of a request does not predict the end of its iteration, in a few words; empty if it does.
[[nodiscard]] STAGECUT_DECL std::string prediction_obstacle(const plan_request& request);

/// Why the makespan of a request cannot be minimised, in a few words; empty if it can: then `make_plan` minimises it
/// unless another objective is set. Errors of the request itself, such as a schedule that cannot have these numbers,
/// are rejected by `make_plan`.
[[nodiscard]] STAGECUT_DECL std::string makespan_obstacle(const profile& model, const plan_request& request);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/makespan_obstacle.ipp>
#endif
