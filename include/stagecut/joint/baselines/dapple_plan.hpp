// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/baselines/equal_machines.hpp>
#include <stagecut/joint/baselines/placed_layers.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The result of DAPPLE's planner.
struct dapple_answer {
  std::vector<placed_stage> stages{};  ///< from the input to the output; replicas are summed over all pipelines
  std::size_t pipelines = 1;           ///< data-parallel pipelines, which share the batch
  double speedup = 0;                  ///< over one device, by the planner's own score
};

/// See `dapple_plan`.
struct dapple_plan_fn {
  /// See `dapple_plan`.
  [[nodiscard]] dapple_answer operator()(const placed_layers& batch, const equal_machines& machines,
                                         std::size_t batch_size, std::size_t microbatch_size) const;
};

/// Returns the plan of DAPPLE's planner, as a baseline: its search and score as published, with ties made
/// deterministic. `minimize_placed_latency` minimises DAPPLE's own formula.
///
/// @param batch            layers, with times and messages of a whole batch
/// @param machines         the machines and their links
/// @param batch_size       samples per iteration
/// @param microbatch_size  samples per microbatch
/// @throws                 argument_error and invalid_input as `minimize_placed_latency`
///
/// Its peculiarities: the search minimises the largest stage or message of the whole batch, without the gradient
/// exchange, and plans are scored afterwards. For r pipelines with M microbatches each, the score divides the work of
/// the whole batch by r M, though stages have replicas of their own; it counts messages in one direction; the
/// parameters of a stage include those of the first layers of the next one; and numbers of devices that r does not
/// divide give a single stage. Among plans with equal scores the last one is kept; among equally good parts of the
/// search, the first: points from the input, placements in the order of `placement`.
///
/// Source: the planner of DAPPLE (PPoPP 2021), HPGO; only facts were used, no code.
inline constexpr dapple_plan_fn dapple_plan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/dapple_plan.ipp>
#endif
