// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/baselines/equal_machines.hpp>
#include <stagecut/joint/baselines/placed_layers.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What DAPPLE's planner returns.
struct dapple_answer {
  std::vector<placed_stage> stages{};  ///< from the input to the output; replicas count those of all pipelines
  std::size_t pipelines = 1;           ///< side by side, which share the batch
  double speedup = 0;                  ///< over one device, by the planner's own score
};

/// See `dapple_plan`.
struct dapple_plan_fn {
  /// See `dapple_plan`.
  [[nodiscard]] dapple_answer operator()(const placed_layers& batch, const equal_machines& machines,
                                         std::size_t batch_size, std::size_t microbatch_size) const;
};

/// The plan that DAPPLE's planner returns, to compare with: its search and its score as they are published, with ties made
/// deterministic. For plans of its own formula use `minimize_placed_length`.
///
/// @param batch            layers, with times and messages of a whole batch
/// @param machines         and their links
/// @param batch_size       samples of an iteration
/// @param microbatch_size  samples of a microbatch
/// @throws                 argument_error and invalid_input as `minimize_placed_length`
///
/// What is peculiar to it: plans are searched for the least largest stage or message of the whole batch, without the exchange
/// of gradients, and scored afterwards. For r pipelines side by side and M microbatches each, the score has the work of the
/// whole batch divided by r M, though stages have replicas of their own; it counts messages in one direction; the parameters of
/// a stage include those of the first layers of the next one; and numbers of devices that r does not divide give one stage
/// alone. Among plans with as good a score the last one is kept; where the search meets equally good parts, the first: points
/// from the input, placements in the order of `placement`.
///
/// Source: the planner of DAPPLE (PPoPP 2021), HPGO, of which facts were used and no code.
inline constexpr dapple_plan_fn dapple_plan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/dapple_plan.ipp>
#endif
