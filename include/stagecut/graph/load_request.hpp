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

/// How far a search for the least load is.
struct load_progress {
  double seconds = 0;      ///< since it began
  double load = 0;         ///< of the best partition so far, in the unit of the costs; 0: there is none yet
  double bound = 0;        ///< no partition has less
  std::size_t rounds = 0;  ///< partitions that were made better, or worse
};

/// How long to look for a partition of a graph, and whom to tell. What is not said stays at its default.
struct load_limits {
  std::optional<double> time_limit = 10.0;  ///< seconds; unset: until the answer is proved, or for ever
  /// Partitions made better, or worse, in all. Without a time limit, other work is counted in steps and ends after about as
  /// long: the answer is the same on every machine. Unset: no limit.
  std::optional<std::size_t> round_limit{};
  std::size_t most_down_sets = 1000000;                 ///< more are not listed, nor more than 256 MiB hold
  std::uint64_t seed = 1;                               ///< of orders that chance makes
  function_ref<bool()> stop{};                          ///< asked often; true ends the search with the best so far
  function_ref<void(const load_progress&)> progress{};  ///< told now and then, and whenever something is found
};

/// Into what a graph is cut: see `minimize_load`. What is not said stays at its default.
struct load_request {
  std::size_t devices = 1;                        ///< accelerators, each with one stage
  std::size_t cpus = 0;                           ///< CPUs at most that take a stage as well
  bool at_most = false;                           ///< whether accelerators may stay without a stage
  graph_method method = graph_method::automatic;  ///< how
  load_options load{};                            ///< how the load of a stage is reckoned
  load_limits limits{};                           ///< of the search
};

/// A stage of a graph, with its figures.
struct graph_stage {
  bool on_cpu = false;       ///< whether it stands on a CPU
  double load = 0;           ///< what was minimised: seconds
  double forward = 0;        ///< seconds of a microbatch; on a CPU, of both passes
  double backward = 0;       ///< likewise
  double communication = 0;  ///< seconds for what it receives and sends
  double memory = 0;         ///< bytes

  /// Equal in every part.
  friend bool operator==(const graph_stage&, const graph_stage&) = default;
};

/// The best partition found of a graph, with its proof.
struct graph_partition {
  std::vector<std::size_t> stage_of{};  ///< of every operator, from 0; edges lead to the same or a later stage
  std::vector<graph_stage> stages{};    ///< none is empty
  double load = 0;                      ///< of the heaviest stage
  double bound = 0;                     ///< no partition has less; equal to `load` if proved optimal
  std::size_t elements = 0;             ///< that no plan can part
  std::size_t down_sets = 0;            ///< listed; 0: they were too many, or not needed
  std::size_t rounds = 0;               ///< partitions that were made better, or worse
  std::vector<std::vector<std::size_t>> others{};  ///< like `stage_of`: good ones that were met, the best first

  /// How far the load may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (load - bound) / bound : load > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
