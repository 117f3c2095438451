// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `compare_plans`.
struct compare_plans_fn {
  /// See `compare_plans`.
  [[nodiscard]] plan_comparison operator()(const profile& model, const plan_request& request,
                                           const plan_choices& choices) const;
};

/// Plans every combination of what is open, each by its makespan, and keeps the plan that takes least for a microbatch.
/// Links and memory that the request does not tell are those of the profile's `machine`.
///
/// @param model    a chain or a graph, as of `make_plan`
/// @param request  as of `make_plan`, with a makespan
/// @param choices  what is open: `usual_choices(model)` where no schedule was chosen
/// @return         the best plan, and a line for each combination, which may say why it has none
/// @throws         as `make_plan`, for what is wrong in every combination, and for another objective than the makespan
inline constexpr compare_plans_fn compare_plans{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/compare_plans.ipp>
#endif
