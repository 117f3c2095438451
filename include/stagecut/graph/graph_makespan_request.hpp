// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/memory_limit.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The pipeline for which a graph is cut: see `minimize_graph_makespan`.
struct graph_makespan_request {
  std::size_t devices = 1;                        ///< k, each with one stage
  bool at_most = false;                           ///< whether fewer stages are allowed
  std::size_t microbatches = 1;                   ///< per iteration, m
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy: `link`, or `latency`
  stagecut::memory_limit memory_limit{};          ///< bytes that no device may exceed; unset: no limit
  std::size_t kicks = 60;                   ///< random perturbations of the best plan; the search restarts after each
  search_options search{.time_limit = 10};  ///< of the search; nodes are simulations
};

/// A plan of a graph and its makespan.
struct graph_makespan : solution<double> {
  std::vector<std::size_t> assignment{};  ///< stage of each operator, from 0
  std::vector<std::size_t> warm_up{};     ///< forward passes ahead, per stage

  /// Number of stages.
  [[nodiscard]] std::size_t stages() const noexcept { return warm_up.size(); }
};

}  // namespace stagecut::inline STAGECUT_ABI
