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

/// A way to deal layers out and to recompute them, beside others.
struct compared_strategy {
  std::string name{};   ///< `even, nothing recomputed`
  std::string none{};   ///< why there is none; empty: there is one
  double makespan = 0;  ///< simulated, in the unit of the model
  /// What a makespan is made of: the parts add up to it. Work is that of the fastest choices.
  makespan_parts parts{};
  double recomputation = 0;  ///< a part of the makespan as well: what is computed again, shared evenly by the ranks
  double memory = 0;         ///< bytes of the rank that has most at its peak
  bool fits = false;         ///< whether all ranks keep to their memory
  recompute_strategy strategy{};  ///< what it is; without stages if there is none
};

/// What an iteration of a strategy takes, and why.
///
/// @param name  what the row is called
/// @throws      as `simulate_recomputation`
[[nodiscard]] STAGECUT_DECL compared_strategy simulated_strategy(std::string name, const recompute_model& model,
                                                                 const recompute_request& request,
                                                                 const recompute_strategy& of);

/// Sets a plan beside what one has without a planner, and beside what SAPP looks for.
///
/// @param model    the layers
/// @param request  the order, messages and memory
/// @param found    the plan, the last of the result
/// @param own      strategies of one's own, with their names
/// @return         layers dealt out evenly with the fastest choice of each, and with the one that keeps least; those of one's
///                 own; the plan of least `sapp_objective`, where the order has one; and the plan. Of what parts layers
///                 that stand together there is no figure
/// @throws         as `simulate_recomputation`
[[nodiscard]] STAGECUT_DECL std::vector<compared_strategy> compare_recomputation(
    const recompute_model& model, const recompute_request& request, const recompute_strategy& found,
    const std::vector<std::pair<std::string, recompute_strategy>>& own = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/compare_recomputation.ipp>
#endif
