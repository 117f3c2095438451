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

/// Deals the modules of a tree out to devices from the root down, as SageMaker does for PyTorch: modules that run one
/// after the other share a device, and large ones are taken apart.
///
/// @param model    a profile whose layers have children, not flattened; edges between its layers are not looked at:
///                 modules run in the order in which the tree lists them
/// @param request  the devices, and what a module costs: a weighted sum of its share of the model's bytes and of its
///                 share of the time of both passes, with all that it holds. Where no layer has one of them, the other
///                 is all
/// @return         a device for every module; optimal if the heaviest has no more than the bound, else feasible;
///                 infeasible, `more_stages_than_layers`, where there are more devices than leaves. A device may be
///                 left without one
/// @throws         argument_error for no device, a weight outside of 0 to 1, a multiplier below 0 or not finite;
///                 invalid_input for what is no tree, for figures as `check_figures`, a sum out of range, a model
///                 without a cost, and a layer that has a fixed stage, does not run on an accelerator or is of the
///                 backward pass: these are refused, as modules are placed by their cost alone
///
/// Layers that share parameters, whether these may be copied or not, and layers of one group are dealt out as one
/// module in the place of the first of them, which holds what they hold; shared parameters count there, once. A
/// module's own figures are on the first of its devices. Its children are cut into as many segments as it has devices,
/// or children, the costliest as cheap as possible; devices go to segments in proportion by d'Hondt's way, of equals to
/// one that has none, a segment without one goes to the first of all, and one of several modules and devices is cut
/// further. A heuristic without a guarantee, which minds no messages and no limit of memory; the devices of consecutive
/// runs may form a cycle. Costs are whole multiples of 2^-52 of the model's, so sums are exact. Deterministic. With n
/// layers and D devices O(D n) as a rule where modules are taken apart, O(n) else; O(D + n) memory.
///
/// Source: C. Karakus et al., Amazon SageMaker Model Parallelism, arXiv 2111.05972, 2021, algorithms 1 to 3. Segments
/// are not empty here, both passes are counted, no cost has a floor, and which of equals gets a device is said.
inline constexpr partition_modules_fn partition_modules{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/partition_modules.ipp>
#endif
