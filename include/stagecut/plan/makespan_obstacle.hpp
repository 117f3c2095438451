// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

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
[[nodiscard]] STAGECUT_DECL std::string prediction_obstacle(const plan_request& request);

/// Why the makespan of a request is nothing that can be minimised, in a few words; empty if it is: then `make_plan`
/// minimises it, unless it is asked for something else. What is wrong by itself, a schedule that is not made for these
/// numbers say, is refused when it is asked.
[[nodiscard]] STAGECUT_DECL std::string makespan_obstacle(const profile& model, const plan_request& request);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/makespan_obstacle.ipp>
#endif
