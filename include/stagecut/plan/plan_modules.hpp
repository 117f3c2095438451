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

/// A plan of modules, with the assignment behind it.
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

/// Plans a module tree by `partition_modules`: each run of leaves on one device is a stage; stages are in the order in
/// which the runs execute.
///
/// @param model      a profile whose layers have children, and no edges
/// @param request    the devices, and the cost of a module
/// @param memory     how the memory of stages is computed; it is no limit and does not affect the assignment
/// @param optimizer  the plan's name for its multiplier; empty: as `plan_request::optimizer`
/// @return           as `partition_modules`. A device has as many stages as the one that has most runs, and the plan at
///                   least two stages if a device has no run: surplus stages are empty, at the end. There is no
///                   schedule and no prediction. The cost of a stage is its share of the model's; the objective's value
///                   is the load of the heaviest device, with a name, `bottleneck`, if each device has one run
/// @throws           as `partition_modules`; invalid_input for edges, and for layers of a group, or with colocated
///                   parameters, in different runs: a plan has these on one stage; argument_error for invalid memory
///                   options
inline constexpr plan_modules_fn plan_modules{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_modules.ipp>
#endif
