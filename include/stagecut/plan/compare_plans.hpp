// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `compare_plans`.
struct compare_plans_fn {
  /// A planner that cuts graphs into plans, such as `plan_graph`.
  using graph_planner = function_ref<outcome<plan>(const profile&, const plan_request&)>;

  /// See `compare_plans`.
  /// @{
  [[nodiscard]] plan_comparison operator()(const profile& model, const plan_request& request,
                                           const plan_choices& choices) const;
  [[nodiscard]] plan_comparison operator()(const profile& model, const plan_request& request,
                                           const plan_choices& choices, const graph_planner& of_graphs) const;
  /// @}
};

/// Plans every combination of the open choices, each by its makespan, and keeps the plan with the least time per
/// microbatch. All are bounded first; those with the smallest bounds are planned first, and one that can no longer win
/// keeps the first plan that was found. Links and memory that the request does not set come from the profile's `machine`.
///
/// @param model    a chain or a graph. For a graph that is no chain, the stages are in a row, also for 1F1B and GPipe;
///                 the bounds hold for all orders of its layers
/// @param request  as for `make_plan`, with a makespan
/// @param choices  the open choices: `usual_choices(model)` if no schedule was chosen
/// @param of_graphs  optional: the planner for a graph that is no chain by 1F1B: `plan_graph` of the module graph. If
///                   1F1B with one stage on each device is among the choices, its plans are compared too, as
///                   `in_flight`, with half of a time limit
/// @return         the best plan, and a line for each combination, with the reason if it has no plan
/// @throws         as `make_plan`, for errors in every combination, and for an objective other than the makespan
inline constexpr compare_plans_fn compare_plans{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/compare_plans.ipp>
#endif
