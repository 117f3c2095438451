// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `recut_plan`.
struct recut_plan_fn {
  /// See `recut_plan`.
  [[nodiscard]] plan operator()(const plan& made, cuts at) const;
};

/// A plan with moved boundaries: the same devices, schedule, microbatches and links, stages rebuilt from the layers
/// between the new cuts, and the resulting makespan. There is no search, and no memory limit.
///
/// @param made  a plan of a chain, with microbatches and a named or custom schedule
/// @param at    as many stages of the same layers
/// @return      with the makespan as its objective, nothing proved, and no timeline; layers that run in a variant have
///              that variant's figures
/// @throws      argument_error if there is an `explanation_obstacle`, or for cuts of other stages or layers;
///              invalid_input for stages whose times are not the sums over their layers, and as `schedule_of` and
///              `simulate`
///
/// One simulation.
inline constexpr recut_plan_fn recut_plan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/recut_plan.ipp>
#endif
