// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/callback.hpp>
#include <stagecut/core/config.hpp>
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

/// How a sweep plans its configurations, besides `plan_request::search`. Unset fields keep their defaults.
struct sweep_options {
  /// Whether to skip what cannot be on the front: a row whose bounds of time and memory are both worse than the plan of
  /// another row. The front is the same either way.
  bool skip_dominated = true;
  /// Called on the calling thread after each round of configurations.
  callback<void(const sweep_progress&)> progress{};
};

/// Nodes of each configuration's search if the request sets no limit: some 0.1 s for 40 layers.
inline constexpr std::size_t usual_sweep_nodes = 1000;

/// The request of a row: `make_plan` with it makes the row's plan, unless a time limit was reached.
[[nodiscard]] STAGECUT_DECL plan_request request_of_row(const plan_request& request, const sweep_row& row);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/sweep_options.ipp>
#endif
