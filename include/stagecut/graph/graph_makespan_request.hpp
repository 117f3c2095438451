// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// For what a graph is cut into stages: see `minimize_graph_makespan`.
struct graph_makespan_request {
  std::size_t devices = 1;                        ///< k, each with one stage
  bool at_most = false;                           ///< whether fewer stages will do
  std::size_t microbatches = 1;                   ///< of an iteration, m
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy: `link`, or `latency`
  std::optional<double> memory_per_device{};      ///< bytes that no device may exceed; unset: no limit
  std::uint64_t seed = 1;                         ///< of the order in which moves are tried
  std::size_t kicks = 60;  ///< random changes of the best plan, from each of which it looks again
  search_limits limits{};  ///< of the search; nodes are simulations
};

/// A plan of a graph, and when its iteration ends.
struct graph_makespan {
  std::vector<std::size_t> stage_of{};  ///< of every operator, from 0
  std::vector<std::size_t> warm_up{};   ///< forward passes ahead, of every stage
  double makespan = 0;                  ///< seconds, as `stage_makespan` says
  double bound = 0;                     ///< no plan ends earlier, whatever its warm-up counts; equal if proved optimal
  std::size_t simulations = 0;          ///< plans with warm-up counts that were looked at

  /// How many stages there are.
  [[nodiscard]] std::size_t stages() const noexcept { return warm_up.size(); }
  /// How far the makespan may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (makespan - bound) / bound : makespan > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
