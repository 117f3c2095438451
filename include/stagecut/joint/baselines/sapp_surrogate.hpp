// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A plan that is good for SAPP's objective, and its simulated iteration.
struct sapp_surrogate_plan : solution<double> {
  stagecut::cuts cuts{};               ///< the layers of every stage
  std::vector<std::size_t> choices{};  ///< for every layer, an index into the choices of its type
  double recomputed = 0;               ///< extra time of the backward passes of a microbatch over the fastest choices
  double makespan = 0;                 ///< simulated
  std::vector<double> memory{};        ///< bytes of every rank at its peak
};

/// Returns the value of SAPP's objective, its surrogate for the makespan, for a plan.
///
/// @param model    the layers
/// @param request  the schedule, with stages assigned to ranks in turn and whole backward passes; memory and messages
///                 are ignored, as by the objective
/// @param stages   the layers of every stage
/// @param choices  for every layer, an index into the choices of its type
/// @param level    SAPP's optimisation level, 0 or 1
/// @return         the largest sum of a forward and a backward pass of any two stages of one rank. At level 1, for
///                 several stages per rank and as many microbatches as ranks, x + max(x, y): x is the longest backward
///                 pass of any stage but the last of a rank, and y of the last ones, with a share of their forward pass
/// @throws         argument_error for another schedule or level; otherwise as `simulate_recomputation`
///
/// Neither an upper nor a lower bound of the makespan. Slices of sequences count as microbatches.
///
/// Source: sapp_solver.py of SAPP's pipeline balance, MindFormers 0b3a3b55. Not included: level 2, which adds
/// differences of neighbours.
[[nodiscard]] STAGECUT_DECL double sapp_objective(const recompute_model& model, const recompute_request& request,
                                                  const cuts& stages, const std::vector<std::size_t>& choices,
                                                  std::size_t level = 1);

/// Returns the plan that SAPP searches for: the one that fits with the smallest `sapp_objective`. A baseline for the
/// plan of smallest makespan, which it seldom is.
///
/// @param model    layers with the choices of each
/// @param request  as for `sapp_objective`; memory is computed exactly, as by `minimize_recomputation`, where SAPP's
///                 rows may underestimate it; of the limits only `stop` is used
/// @param level    as for `sapp_objective`
/// @return         optimal, with `objective == bound`, which says nothing about the makespan; feasible, where layers of
///                 several types make too many options to check all in some seconds; infeasible as
///                 `minimize_recomputation`; unknown if there were too many options before any plan was found
/// @throws         as `sapp_objective`
///
/// Of the many plans with the same objective it returns one that recomputes least, then the one found first, where SAPP
/// takes the one its solver ends with. Deterministic. For every value of x, dynamic programming finds the smallest y:
/// O(values * options), milliseconds where layers are equal.
[[nodiscard]] STAGECUT_DECL outcome<sapp_surrogate_plan> minimize_sapp_surrogate(const recompute_model& model,
                                                                                 const recompute_request& request,
                                                                                 std::size_t level = 1);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/sapp_surrogate.ipp>
#endif
