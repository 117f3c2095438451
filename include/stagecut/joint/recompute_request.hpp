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

/// For what layers are dealt out to stages, and recomputed: see `minimize_recomputation`.
struct recompute_request {
  schedule order{};                               ///< what the ranks do, of any number of stages each
  std::vector<link_speed> links{};                ///< of every boundary, or one for all; empty: no messages
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy
  std::optional<double> memory_per_device{};      ///< bytes that no rank may exceed; unset: no limit
  std::vector<double> memory_of_ranks{};  ///< bytes of every rank, in place of the same for all; empty: as above
  double constant = 0;                    ///< bytes that every rank needs beside its layers; below 0 if a fit says so
  /// Buffers of a stage for each tensor that crosses one of its ends, in the model's `sent` bytes.
  double boundary_buffers = 0;
  /// Layers that every stage has at least, head and tail not counted: 0 lets stages be empty.
  std::size_t least_layers = 1;
  bool head_alone = false;  ///< whether the first stage may have no layers in any case, as the head is work enough
  bool tail_alone = false;  ///< whether the last stage may have none, as the tail is
  /// Plans of one's own: none of those that keep to the request ends before the plan that is found, nor do even ones. The
  /// search begins at the best of them, too.
  std::vector<recompute_strategy> starts{};
  search_limits limits{};  ///< of the search
};

/// Which layers a stage has and how each of them is run, with its proof.
struct recompute_plan {
  stagecut::cuts cuts{};               ///< where the layers are cut; stages may be empty if that was asked for
  std::vector<std::size_t> choices{};  ///< of every layer, by number among those of its type
  double makespan = 0;                 ///< simulated, in the unit of the model
  double bound = 0;                    ///< no plan ends earlier; equal to `makespan` if proved optimal
  std::vector<double> memory{};        ///< bytes of every rank at its peak
  std::size_t nodes = 0;               ///< changes looked at; a set of options counts as 5000
  std::size_t simulations = 0;         ///< plans simulated, mixed ones among them

  /// How far the makespan may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (makespan - bound) / bound : makespan > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
