// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_verification.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `verify_plan`.
struct verify_plan_fn {
  /// See `verify_plan`.
  [[nodiscard]] plan_verification operator()(const profile& model, const plan& made) const;
  /// See `verify_plan`.
  [[nodiscard]] plan_verification operator()(const profile& model, const std::vector<std::size_t>& stage_of) const;
};

/// Holds a plan against the profile that it was made of.
///
/// @param model  a chain or a graph
/// @param made   a plan of it, or of the chain that its edges make
/// @return       a check for each of `plan_check_words`, with the plan's figure and the profile's, and what is wrong
///               first. Nothing is thrown: what is wrong is an answer
///
/// All figures are worked out again from the profile, in plain loops which planners and simulator have no part in: the
/// order of a schedule that the plan names is the only thing that is asked of the library. Two figures are the same
/// within 10^-9 of the larger, and 10^-12 of the sum over the model, of which planners take differences. It is not
/// checked that no other plan is better: a bound is held against the value, and the value against the average, the
/// heaviest group and the longest way of a microbatch. O(stages * (layers + edges) + passes) as a rule.
///
/// In place of a plan, the stage of every layer: checked is where the layers stand, and `loads` tells the heaviest
/// stage. A stage with a layer that runs on no accelerator is on a CPU.
inline constexpr verify_plan_fn verify_plan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/verify_plan.ipp>
#endif
