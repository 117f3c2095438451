// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/joint/compared_hybrid.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/plan/module_partition.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_combinations.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A plan, and what its planner compared it with.
struct planned_model {
  outcome<plan> best{};                              ///< the plan
  plan_problem problem = plan_problem::chain;        ///< the problem that the request posed
  plan_request request{};                            ///< the request that makes that plan alone, without open choices
  std::vector<compared_plan> compared{};             ///< the combinations of open choices
  std::vector<compared_hybrid> hybrids{};            ///< the plans of other planners, then this one
  std::optional<module_partition> modules{};         ///< the devices of the modules of a tree
  search_statistics statistics{};                    ///< of all searches: nodes, seconds, what ended them
};

/// Plans a model: the entry point for every request. It chooses the planner by `problem_of`.
///
/// @param model    a chain of layers, a graph, or a module tree
/// @param request  what to plan. Limits of the search that it leaves unset are set by `usual_search`, so that the plan is
///                 the same on every machine
/// @return         as the planner: `make_plan`, `plan_graph`, `compare_plans`, `plan_recomputation`, `plan_hybrid` or
///                 `plan_modules`. `plan_combinations` lists which answers are exact
/// @throws         argument_error for a part of the request that its problem does not take, as `plan_combinations` lists
///                 them, with the reason; otherwise as the planner
[[nodiscard]] STAGECUT_DECL outcome<plan> plan_model(const profile& model, const plan_request& request);

/// The same, with the plans that it was compared with.
///
/// @param starts  known cuts of a chain with recomputation, as `recompute_options::starts`, for any stages per rank: no
///                plan is worse
[[nodiscard]] STAGECUT_DECL planned_model compare_model(const profile& model, const plan_request& request,
                                                        const std::vector<recompute_strategy>& starts = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/plan_model.ipp>
#endif
