// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/plan/graph_method.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The devices and stages into which a graph is cut: see `virtual_stages`. Unset fields keep their defaults.
struct virtual_stage_request {
  std::size_t devices = 1;                        ///< accelerators
  std::size_t cpus = 0;                           ///< the most CPUs that take stages in addition
  bool at_most = false;                           ///< whether accelerators may stay without a stage
  std::size_t stages_per_rank = 2;                ///< the most per device, below 2^20
  graph_method method = graph_method::automatic;  ///< the method that finds the initial partition
  load_options load{};                            ///< how the load of a device, in place of a stage, is computed
  search_options search{.time_limit = 10};        ///< of the search
};

/// The best stages found of a graph, with their devices.
struct virtual_partition : solution<double> {
  std::vector<std::size_t> assignment{};  ///< stage of each operator, from 0; edges lead to the same or a later stage
  std::vector<std::size_t> device_of{};   ///< device of each stage; neighbours differ; no stage is empty
  /// Each device, with all its stages, ordered by its first stage; devices without stages are omitted, unless loads
  /// depend on the number of a device.
  std::vector<graph_stage> devices{};
  double contiguous_load = 0;  ///< the best found with one stage per device; 0: none was found
  std::size_t elements = 0;    ///< number of indivisible elements
};

}  // namespace stagecut::inline STAGECUT_ABI
