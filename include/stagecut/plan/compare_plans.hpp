// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/separate.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#if STAGECUT_BODIES
#include <stagecut/plan/detail/as_one_chain.hpp>
#include <stagecut/plan/detail/choice_comparison.hpp>
#include <stagecut/plan/detail/with_machine.hpp>
#endif

namespace stagecut::inline v0 {

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

#if STAGECUT_BODIES
STAGECUT_INLINE plan_comparison compare_plans_fn::operator()(const profile& model, const plan_request& request,
                                                             const plan_choices& choices) const {
  return detail::as_one_chain("compare_plans", model, request, [&](const profile& chain) {
    plan_request asked = request;
    asked.objective = plan_objective::makespan;  // for which its messages go over links
    asked = detail::with_machine(chain, asked);
    asked.objective = request.objective;
    detail::check_choices("compare_plans", "choices", chain, asked, choices);
    return detail::choice_comparison(chain, asked, choices).run();
  });
}
#endif

}  // namespace stagecut::inline v0
