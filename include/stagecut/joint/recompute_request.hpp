// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/memory_limit.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The problem of assigning layers to stages and choosing their recomputation: see `minimize_recomputation`.
struct recompute_request {
  stagecut::schedule schedule{};                  ///< the schedule, with any number of stages per rank
  std::vector<link_speed> links{};                ///< per boundary, or one for all; empty: no messages
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy
  stagecut::memory_limit memory_limit{};          ///< bytes of each rank: one value for all, one for each, or no limit
  double constant = 0;  ///< bytes that every rank needs besides its layers; may be negative if fitted
  /// Buffers of a stage for each tensor that crosses one of its two boundaries, in units of the model's `sent` bytes.
  double boundary_buffers = 0;
  /// The fewest layers of a stage, head and tail not counted: 0 allows empty stages.
  std::size_t least_layers = 1;
  bool head_alone = false;  ///< whether the first stage may always have no layers besides the head
  bool tail_alone = false;  ///< whether the last stage may always have no layers besides the tail
  /// The user's own plans. The search starts from the best of them, among others; the result finishes no later than any
  /// of them that keeps to the request, nor than even plans.
  std::vector<recompute_strategy> starts{};
  search_options search{.time_limit = 10};  ///< of the search
};

/// The layers of each stage and how each layer runs, with a proof.
struct recompute_plan : solution<double> {
  stagecut::cuts cuts{};               ///< where the layers are cut; stages may be empty if allowed
  std::vector<std::size_t> choices{};  ///< for every layer, an index into the choices of its type
  std::vector<double> memory{};        ///< bytes of every rank at its peak
};

}  // namespace stagecut::inline STAGECUT_ABI
