// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/plan/graph_method.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Into what a graph is cut, where devices hold several chunks: see `virtual_stages`. What is not said stays at its
/// default.
struct virtual_stage_request {
  std::size_t devices = 1;                        ///< accelerators
  std::size_t cpus = 0;                           ///< CPUs at most that take chunks as well
  bool at_most = false;                           ///< whether accelerators may stay without a chunk
  std::size_t chunks = 2;                         ///< of a device at most, below 2^20
  graph_method method = graph_method::automatic;  ///< how the partition is found with which the search begins
  load_options load{};   ///< how the load of a device is reckoned, which takes the place of a stage
  load_limits limits{};  ///< of the search
};

/// The best chunks found of a graph, on devices.
struct virtual_partition {
  std::vector<std::size_t> chunk_of{};   ///< of every operator, from 0; edges lead to the same or a later chunk
  std::vector<std::size_t> device_of{};  ///< of every chunk, none of which is empty: another one than that of the next
  /// Of every device, with all its chunks; in the order of their first chunks, without those that hold none, unless
  /// loads depend on the number of a device.
  std::vector<graph_stage> devices{};
  double load = 0;             ///< of the heaviest device
  double bound = 0;            ///< no partition has less; equal to `load` if proved optimal
  double contiguous_load = 0;  ///< the best found with one chunk a device; 0: none was found
  std::size_t elements = 0;    ///< that no plan can part
  std::size_t rounds = 0;      ///< partitions that were made better, or worse

  /// How far the load may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (load - bound) / bound : load > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
