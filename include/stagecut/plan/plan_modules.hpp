// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/module_partition.hpp>
#include <stagecut/plan/module_request.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A plan of modules, and what is known of how they were dealt out.
struct planned_modules {
  stagecut::plan plan{};         ///< of the leaves
  module_partition partition{};  ///< of the tree
};

/// See `plan_modules`.
struct plan_modules_fn {
  /// See `plan_modules`.
  [[nodiscard]] outcome<planned_modules> operator()(const profile& model, const module_request& request,
                                                    const memory_options& memory = {},
                                                    const std::string& optimizer = {}) const;
};

/// Plans a module tree by `partition_modules`: each run of leaves on one device is a stage, in the order in which they
/// run.
///
/// @param model      a profile whose layers have children, and no edges
/// @param request    the devices, and what a module costs
/// @param memory     how the memory of stages is reckoned; it is no limit, and devices are dealt out without it
/// @param optimizer  what the plan calls its multiplier; empty: as `plan_request::optimizer`
/// @return           as of `partition_modules`. A device has as many stages as the one that has most runs, and the plan
///                   two chunks at least where a device has no run: stages that this leaves over are empty, at the end.
///                   There is no schedule and no prediction. The cost of a stage is its share of the model's; the value
///                   of the objective is that of the heaviest device, and has a name, `bottleneck`, where each has one
///                   run
/// @throws           as `partition_modules`; invalid_input for edges, and for layers of a group, or with colocated
///                   parameters, in different runs: a plan has these on one stage; argument_error for options of memory
inline constexpr plan_modules_fn plan_modules{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_modules.ipp>
#endif
