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
  /// What cuts graphs into plans: `plan_graph`, say.
  using graph_planner = function_ref<outcome<plan>(const profile&, const plan_request&)>;

  /// See `compare_plans`.
  /// @{
  [[nodiscard]] plan_comparison operator()(const profile& model, const plan_request& request,
                                           const plan_choices& choices) const;
  [[nodiscard]] plan_comparison operator()(const profile& model, const plan_request& request,
                                           const plan_choices& choices, const graph_planner& of_graphs) const;
  /// @}
};

/// Plans every combination of what is open, each by its makespan, and keeps the plan that takes least for a microbatch.
/// Links and memory that the request does not tell are those of the profile's `machine`.
///
/// @param model    a chain or a graph. The stages of one that is no chain stand in a row, by 1F1B and GPipe, too; its bounds are
///                 those of all orders of its layers
/// @param request  as of `make_plan`, with a makespan
/// @param choices  what is open: `usual_choices(model)` where no schedule was chosen
/// @param of_graphs  optional: who plans a graph that is no chain by 1F1B, `plan_graph` of the room graph. Where 1F1B with one
///                 stage on each device is among the choices its plans are compared, too, as `in_flight`; half of a time
///                 limit is for them
/// @return         the best plan, and a line for each combination, which may say why it has none
/// @throws         as `make_plan`, for what is wrong in every combination, and for another objective than the makespan
inline constexpr compare_plans_fn compare_plans{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/compare_plans.ipp>
#endif
