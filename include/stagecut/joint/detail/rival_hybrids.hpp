// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/compared_hybrid.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether the least iteration is asked for.
[[nodiscard]] inline bool is_iteration(const hybrid_plan_request& request) noexcept {
  return request.objective == plan_objective::automatic || request.objective == plan_objective::iteration;
}

/// What other planners choose: see `compare_hybrids`. Of a time limit each has a tenth.
/// @param quick  whether, without limits, a search may end before its plan is proved
[[nodiscard]] STAGECUT_DECL std::vector<compared_hybrid> rival_plans(const profile& model,
                                                                     const hybrid_plan_request& request, bool quick);

/// The best plan, that begins with one that is known.
/// @param known  of least iteration, which keeps to the request; null: none
[[nodiscard]] STAGECUT_DECL outcome<plan> plan_hybrid_from(const profile& model, const hybrid_plan_request& request,
                                                           const plan* known);

/// These, and behind them the plan of least iteration, in what is left of the time, which begins with the best of the others.
/// @param quick  as of `rival_plans`
[[nodiscard]] STAGECUT_DECL std::vector<compared_hybrid> plans_beside(const profile& model, hybrid_plan_request request,
                                                                     bool quick);

/// The one that ends first, as a plan of least iteration of which nothing is proved; null: there is none.
[[nodiscard]] STAGECUT_DECL outcome<plan> best_rival(const std::vector<compared_hybrid>& rivals);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/rival_hybrids.ipp>
#endif
