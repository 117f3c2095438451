// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/module_partition.hpp>
#include <stagecut/plan/module_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `partition_modules`.
struct partition_modules_fn {
  /// See `partition_modules`.
  [[nodiscard]] outcome<module_partition> operator()(const profile& model, const module_request& request) const;
};

/// Assigns the modules of a tree to devices from the root down, as SageMaker does for PyTorch: consecutive modules
/// share a device, and large modules are split into their children.
///
/// @param model    a profile whose layers have children, not flattened; edges between its layers are ignored: modules
///                 run in the order in which the tree lists them
/// @param request  the devices, and the cost of a module with its subtree: a weighted sum of its share of the model's
///                 bytes and of its share of the time of both passes. If no layer has one of them, the other counts
///                 fully
/// @return         a device for every module; optimal if the heaviest load meets the bound, else feasible; infeasible,
///                 `more_stages_than_layers`, if there are more devices than leaves. A device may stay empty
/// @throws         argument_error for no device, a weight outside 0 to 1, a multiplier below 0 or not finite;
///                 invalid_input for a profile without a tree, for figures as `check_figures`, a sum out of range, a
///                 model without a cost, and a layer that has a fixed stage, does not run on an accelerator or belongs
///                 to the backward pass: modules are placed by cost alone
///
/// Layers that share parameters, copied or not, and layers of one group are assigned as one module in the position of
/// the first of them, with the contents of all; shared parameters count there, once. A module's own figures are on the
/// first of its devices. Its children are cut into as many segments as it has devices, or children, with the smallest
/// bottleneck; devices go to segments in proportion by d'Hondt's method, ties to a segment without one; a segment left
/// without one goes to the first of all devices, and one with several modules and devices is cut further. A heuristic
/// without a guarantee that ignores messages and memory limits; the devices of consecutive runs may form a cycle. Costs
/// are whole multiples of 2^-52 of the model's, so sums are exact. Deterministic. With n layers and D devices O(D n) as
/// a rule where modules are split, O(n) else; O(D + n) memory.
///
/// Source: C. Karakus et al., Amazon SageMaker Model Parallelism, arXiv 2111.05972, 2021, algorithms 1 to 3. Here
/// segments are not empty, both passes count, no cost has a floor, and the rule for ties in assigning devices is
/// explicit.
inline constexpr partition_modules_fn partition_modules{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/partition_modules.ipp>
#endif
