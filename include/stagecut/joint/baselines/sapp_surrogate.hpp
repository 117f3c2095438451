// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A plan that is good for SAPP's objective, and what an iteration takes with it.
struct sapp_surrogate_plan {
  stagecut::cuts cuts{};               ///< the layers of every stage
  std::vector<std::size_t> choices{};  ///< of every layer, by number among those of its type
  double objective = 0;                ///< of SAPP, in the unit of the model
  double bound = 0;                    ///< no plan has less; equal to `objective` if proved best
  double recomputed = 0;               ///< what backward passes of a microbatch take more than with the fastest choices
  double makespan = 0;                 ///< simulated
  std::vector<double> memory{};        ///< bytes of every rank at its peak
};

/// What SAPP minimises in place of the makespan, for a plan.
///
/// @param model    the layers
/// @param request  the order, with the stages of the ranks in turn and whole backward passes; memory and messages, of which
///                 the objective knows nothing, are not looked at
/// @param stages   the layers of every stage
/// @param choices  of every layer, by number among those of its type
/// @param level    SAPP's optimisation level, 0 or 1
/// @return         the greatest sum of a forward and a backward pass of any two stages of one rank. At level 1 for several
///                 stages a rank and as many microbatches as ranks x + max(x, y): x is the longest backward pass of any
///                 stage but the last of a rank, and y of the last ones, with a share of their forward pass
/// @throws         argument_error for another order or level; otherwise as `simulate_recomputation`
///
/// Not a bound of the makespan, on either side. Slices of sequences count as microbatches.
///
/// Source: sapp_solver.py of SAPP's pipeline balance, MindFormers 0b3a3b55. Left out: level 2, which adds differences of
/// neighbours.
[[nodiscard]] STAGECUT_DECL double sapp_objective(const recompute_model& model, const recompute_request& request,
                                                  const cuts& stages, const std::vector<std::size_t>& choices,
                                                  std::size_t level = 1);

/// The plan that SAPP looks for: of those that fit, the one of least `sapp_objective`. To compare with the plan of least
/// makespan, which this one seldom is; it is no planner of its own.
///
/// @param model    layers with the choices of each
/// @param request  as for `sapp_objective`; memory is reckoned as `minimize_recomputation` does, exactly, where SAPP's rows
///                 may fall short; of its limits only `stop` is looked at
/// @param level    as for `sapp_objective`
/// @return         optimal, with `objective == bound`, which says nothing of the makespan; feasible, where layers of several
///                 types make too many options to look at all in some seconds; infeasible as `minimize_recomputation`; unknown if there were too many
///                 options before any plan was found
/// @throws         as `sapp_objective`
///
/// Of plans with the same objective, which are many, it is one that recomputes least, then the one found first, where SAPP
/// takes what its solver ends with. Deterministic. For every value that x may have the least y is found by dynamic
/// programming: O(values * options), milliseconds where layers are alike.
[[nodiscard]] STAGECUT_DECL outcome<sapp_surrogate_plan> minimize_sapp_surrogate(const recompute_model& model,
                                                                                 const recompute_request& request,
                                                                                 std::size_t level = 1);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/sapp_surrogate.ipp>
#endif
