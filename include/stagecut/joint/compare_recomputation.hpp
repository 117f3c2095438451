// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/baselines/sapp_surrogate.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/schedule/makespan_parts.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A strategy for layers and recomputation in a comparison.
struct compared_strategy {
  std::string name{};   ///< `even, nothing recomputed`
  std::string none{};   ///< why there is no strategy; empty: there is one
  double makespan = 0;  ///< simulated, in the unit of the model
  /// The parts of the makespan, which add up to it. Work uses the fastest choices.
  makespan_parts parts{};
  double recomputation = 0;       ///< also part of the makespan: recomputation, shared evenly by the ranks
  double memory = 0;              ///< bytes of the fullest rank at its peak
  bool fits = false;              ///< whether all ranks keep to their memory limits
  recompute_strategy strategy{};  ///< the strategy; without stages if there is none
};

/// Simulates an iteration of a strategy and breaks its makespan down.
///
/// @param name  the name of the row
/// @throws      as `simulate_recomputation`
[[nodiscard]] STAGECUT_DECL compared_strategy simulated_strategy(std::string name, const recompute_model& model,
                                                                 const recompute_request& request,
                                                                 const recompute_strategy& of);

/// Compares a plan with those without a planner, and with SAPP's objective.
///
/// @param model    the layers
/// @param request  the schedule, messages and memory
/// @param found    the plan, the last of the result
/// @param own      the user's own strategies, with their names
/// @return         even plans with the fastest choice for each layer, and with the one that keeps least; the user's
///                 own; the plan with the smallest `sapp_objective`, where the schedule has one; and the plan. A
///                 strategy that separates layers that must stay together has no figures
/// @throws         as `simulate_recomputation`
[[nodiscard]] STAGECUT_DECL std::vector<compared_strategy> compare_recomputation(
    const recompute_model& model, const recompute_request& request, const recompute_strategy& found,
    const std::vector<std::pair<std::string, recompute_strategy>>& own = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/compare_recomputation.ipp>
#endif
