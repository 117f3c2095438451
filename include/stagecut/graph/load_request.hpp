// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/plan/graph_method.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The stages into which a graph is cut: see `minimize_load`. Unset fields keep their defaults.
struct load_request {
  std::size_t devices = 1;                        ///< accelerators, each with one stage
  std::size_t cpus = 0;                           ///< the most CPUs that take a stage in addition
  bool at_most = false;                           ///< whether accelerators may stay without a stage
  graph_method method = graph_method::automatic;  ///< the method of the search
  load_options load{};                            ///< how the load of a stage is computed
  std::size_t most_down_sets = 1000000;           ///< more are not listed, nor more than fit in 256 MiB
  search_options search{.time_limit = 10};        ///< of the search
};

/// A stage of a graph, with its figures.
struct graph_stage {
  bool on_cpu = false;       ///< whether it is on a CPU
  double load = 0;           ///< the minimised quantity: seconds
  double forward = 0;        ///< seconds of a microbatch; on a CPU, of both passes
  double backward = 0;       ///< seconds of a microbatch, backward pass
  double communication = 0;  ///< seconds for what it receives and sends
  double memory = 0;         ///< bytes

  /// Member-wise equality.
  friend bool operator==(const graph_stage&, const graph_stage&) = default;
};

/// The best partition found of a graph, with its bound.
struct graph_partition : solution<double> {
  std::vector<std::size_t> assignment{};  ///< stage of each operator, from 0; edges lead to the same or a later stage
  std::vector<graph_stage> stages{};    ///< none is empty
  std::size_t elements = 0;             ///< number of indivisible elements
  std::vector<std::vector<std::size_t>> others{};  ///< like `assignment`: other good partitions met, the best first
};

}  // namespace stagecut::inline STAGECUT_ABI
