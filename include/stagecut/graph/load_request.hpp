// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/plan/graph_method.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Progress of a search for the least load.
struct load_progress {
  double seconds = 0;      ///< since the search began
  double load = 0;         ///< of the best partition so far, in the unit of the costs; 0: none yet
  double bound = 0;        ///< no partition has less
  std::size_t rounds = 0;  ///< partitions that were improved or perturbed
};

/// Limits of a search for a partition of a graph, and its callbacks. Unset fields keep their defaults.
struct load_limits {
  std::optional<double> time_limit = 10.0;  ///< seconds; unset: until the answer is proved, or forever
  /// Partitions improved or perturbed in total. Without a time limit, other work is counted in steps and ends after
  /// about as long: the answer is the same on every machine. Unset: no limit.
  std::optional<std::size_t> round_limit{};
  std::size_t most_down_sets = 1000000;                 ///< more are not listed, nor more than fit in 256 MiB
  std::uint64_t seed = 1;                               ///< of random orders
  function_ref<bool()> stop{};                          ///< polled often; true ends the search with the best so far
  function_ref<void(const load_progress&)> progress{};  ///< called now and then, and after each improvement
};

/// The stages into which a graph is cut: see `minimize_load`. Unset fields keep their defaults.
struct load_request {
  std::size_t devices = 1;                        ///< accelerators, each with one stage
  std::size_t cpus = 0;                           ///< the most CPUs that take a stage in addition
  bool at_most = false;                           ///< whether accelerators may stay without a stage
  graph_method method = graph_method::automatic;  ///< the method of the search
  load_options load{};                            ///< how the load of a stage is computed
  load_limits limits{};                           ///< of the search
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
struct graph_partition {
  std::vector<std::size_t> stage_of{};  ///< stage of each operator, from 0; edges lead to the same or a later stage
  std::vector<graph_stage> stages{};    ///< none is empty
  double load = 0;                      ///< of the heaviest stage
  double bound = 0;                     ///< no partition has less; equal to `load` if proved optimal
  std::size_t elements = 0;             ///< number of indivisible elements
  std::size_t down_sets = 0;            ///< listed down-sets; 0: too many, or not needed
  std::size_t rounds = 0;               ///< partitions that were improved or perturbed
  std::vector<std::vector<std::size_t>> others{};  ///< like `stage_of`: other good partitions met, the best first

  /// Relative gap between the load and the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (load - bound) / bound : load > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
