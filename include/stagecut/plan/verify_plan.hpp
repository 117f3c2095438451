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

/// Checks a plan against the profile that it was made from.
///
/// @param model  a chain or a graph
/// @param made   a plan of it, or of the chain that its edges form
/// @return       a check for each of `plan_check_names`, with the plan's figure, the profile's, and the first error.
///               Nothing is thrown: errors are results
///
/// All figures are recomputed from the profile, in plain loops that share nothing with planners and simulator, except
/// the order of a schedule that the plan names, which the library makes. Two figures are equal within 10^-9 of the
/// larger plus 10^-12 of the sum over the model, since planners take differences of such sums. Optimality is not
/// checked: a bound is compared with the value, and the value with the average, the heaviest group and the longest path
/// of a microbatch. O(stages * (layers + edges) + passes) as a rule.
///
/// Instead of a plan, it also accepts the stage of each layer: it checks where the layers are, and `loads` contains the
/// heaviest stage. A stage with a layer that runs on no accelerator is on a CPU.
inline constexpr verify_plan_fn verify_plan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/verify_plan.ipp>
#endif
