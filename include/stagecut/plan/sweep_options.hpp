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

/// How far a sweep is.
struct sweep_progress {
  std::size_t done = 0;       ///< rows that are known
  std::size_t dominated = 0;  ///< of them, those that were not planned because they are worse than another one
  std::size_t rows = 0;       ///< in all
  double seconds = 0;         ///< since it began
};

/// How a sweep plans its configurations. What is not said stays at its default.
struct sweep_options {
  /// Of the search of each: partial cuts looked at. The rows depend on nothing else, so they are the same on every machine
  /// and for any number of threads. Of 40 layers, the default takes some 0.1 s for a configuration.
  std::size_t node_limit = 1000;
  /// Seconds of the search of each. What they suffice for differs by machine and load, and so do the rows then. Unset: no
  /// limit but `node_limit`.
  std::optional<double> time_limit{};
  /// Whether what cannot be on the front is left out: a row whose bounds of time and memory are both worse than the plan of
  /// another row. The front is the same either way.
  bool skip_dominated = true;
  /// True ends the sweep: what is not planned by then stays unknown, all other rows are as they would be without it. It is
  /// asked often, by whoever plans: from several threads at once, if there are several.
  function_ref<bool()> stop{};
  /// Told by the thread that called, after each round of configurations.
  function_ref<void(const sweep_progress&)> progress{};
};

/// Who calls `each(i)` once for every i below `count`, on whatever threads and in whatever order, and returns when all calls
/// have. Of exceptions that calls throw, it lets out that of the smallest i.
using each_index_ref = function_ref<void(std::size_t count, function_ref<void(std::size_t)> each)>;

/// The request of a row: `make_plan` with it makes the row's plan, unless a limit of time was reached.
[[nodiscard]] STAGECUT_DECL plan_request request_of_row(const plan_request& request, const sweep_row& row,
                                                        const sweep_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/sweep_options.ipp>
#endif
