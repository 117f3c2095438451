// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/sweep_row.hpp>

// How a sweep is made.
namespace stagecut::inline STAGECUT_ABI {

/// Progress of a sweep.
struct sweep_progress {
  std::size_t done = 0;       ///< known rows
  std::size_t dominated = 0;  ///< known rows that were not planned, because another row dominates them
  std::size_t rows = 0;       ///< in total
  double seconds = 0;         ///< since the sweep began
};

/// How a sweep plans its configurations. Unset fields keep their defaults.
struct sweep_options {
  /// Partial cuts visited by the search of each configuration. The rows depend on nothing else, so they are the same on
  /// every machine and for any number of threads. For 40 layers, the default takes some 0.1 s per configuration.
  std::size_t node_limit = 1000;
  /// Seconds of each configuration's search. The result then depends on the machine and its load. Unset: no limit but
  /// `node_limit`.
  std::optional<double> time_limit{};
  /// Whether to skip what cannot be on the front: a row whose bounds of time and memory are both worse than the plan of
  /// another row. The front is the same either way.
  bool skip_dominated = true;
  /// True ends the sweep: configurations not planned by then stay unknown, all other rows are unaffected. Planners poll
  /// it often: from several threads at once, if there are several.
  function_ref<bool()> stop{};
  /// Called on the calling thread after each round of configurations.
  function_ref<void(const sweep_progress&)> progress{};
};

/// A parallel loop: calls `each(i)` once for every i below `count`, on any threads in any order, and returns when all
/// calls have returned. If calls throw, it rethrows the exception of the smallest i.
using each_index_ref = function_ref<void(std::size_t count, function_ref<void(std::size_t)> each)>;

/// The request of a row: `make_plan` with it makes the row's plan, unless a time limit was reached.
[[nodiscard]] STAGECUT_DECL plan_request request_of_row(const plan_request& request, const sweep_row& row,
                                                        const sweep_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/sweep_options.ipp>
#endif
