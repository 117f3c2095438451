// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The pipeline for which a graph is cut: see `minimize_graph_makespan`.
struct graph_makespan_request {
  std::size_t devices = 1;                        ///< k, each with one stage
  bool at_most = false;                           ///< whether fewer stages are allowed
  std::size_t microbatches = 1;                   ///< per iteration, m
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy: `link`, or `latency`
  std::optional<double> memory_per_device{};      ///< bytes that no device may exceed; unset: no limit
  std::uint64_t seed = 1;                         ///< of the order in which moves are tried
  std::size_t kicks = 60;  ///< random perturbations of the best plan; the search restarts after each
  search_limits limits{};  ///< of the search; nodes are simulations
};

/// A plan of a graph and its makespan.
struct graph_makespan {
  std::vector<std::size_t> stage_of{};  ///< stage of each operator, from 0
  std::vector<std::size_t> warm_up{};   ///< forward passes ahead, per stage
  double makespan = 0;                  ///< seconds, as computed by `stage_makespan`
  double bound = 0;                     ///< no plan finishes earlier, with any warm-up counts; proved if equal
  std::size_t simulations = 0;          ///< simulated pairs of plan and warm-up counts

  /// Number of stages.
  [[nodiscard]] std::size_t stages() const noexcept { return warm_up.size(); }
  /// Relative gap between the makespan and the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (makespan - bound) / bound : makespan > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
