// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/detail/profile_makespan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline v0 {

/// See `make_plan`.
struct make_plan_fn {
  /// See `make_plan`.
  [[nodiscard]] outcome<plan> operator()(const profile& model, const plan_request& request) const {
    const plan_objective of = request.objective;
    const bool by_makespan = of == plan_objective::makespan ||
                             (of == plan_objective::automatic && makespan_obstacle(model, request).empty());
    return by_makespan ? detail::plan_makespan(model, request) : plan_chain(model, request);
  }
};

/// Cuts a profile into the stages of a pipeline: the one door from a profile to a plan.
///
/// @param model    a chain, which `as_chain` makes of a graph
/// @param request  the pipeline, the memory and links there are, and what to minimise
/// @return         optimal; feasible, with a bound, if a limit was reached first; infeasible, with what does not fit and
///                 what would do; unknown if a limit was reached before any plan was found
/// @throws         argument_error for a request that makes no sense; invalid_input for a model that has nothing to be cut
///                 by, or figures that no plan can be made of
inline constexpr make_plan_fn make_plan{};

}  // namespace stagecut::inline v0
