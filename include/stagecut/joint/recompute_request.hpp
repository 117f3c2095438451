// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The problem of assigning layers to stages and choosing their recomputation: see `minimize_recomputation`.
struct recompute_request {
  schedule order{};                               ///< the schedule, with any number of stages per rank
  std::vector<link_speed> links{};                ///< per boundary, or one for all; empty: no messages
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy
  std::optional<double> memory_per_device{};      ///< bytes that no rank may exceed; unset: no limit
  std::vector<double> memory_of_ranks{};  ///< bytes of every rank, in place of one limit for all; empty: as above
  double constant = 0;                    ///< bytes that every rank needs besides its layers; may be negative if fitted
  /// Buffers of a stage for each tensor that crosses one of its two boundaries, in units of the model's `sent` bytes.
  double boundary_buffers = 0;
  /// The fewest layers of a stage, head and tail not counted: 0 allows empty stages.
  std::size_t least_layers = 1;
  bool head_alone = false;  ///< whether the first stage may always have no layers besides the head
  bool tail_alone = false;  ///< whether the last stage may always have no layers besides the tail
  /// The user's own plans. The search starts from the best of them, among others; the result finishes no later than any
  /// of them that keeps to the request, nor than even plans.
  std::vector<recompute_strategy> starts{};
  search_limits limits{};  ///< of the search
};

/// The layers of each stage and how each layer runs, with a proof.
struct recompute_plan {
  stagecut::cuts cuts{};               ///< where the layers are cut; stages may be empty if allowed
  std::vector<std::size_t> choices{};  ///< for every layer, an index into the choices of its type
  double makespan = 0;                 ///< simulated, in the unit of the model
  double bound = 0;                    ///< no plan finishes earlier; equal to `makespan` if proved optimal
  std::vector<double> memory{};        ///< bytes of every rank at its peak
  std::size_t nodes = 0;               ///< moves evaluated; a set of options counts as 5000
  std::size_t simulations = 0;         ///< plans simulated, including mixed ones

  /// The relative gap: how far the makespan may be from the optimum, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (makespan - bound) / bound : makespan > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
