// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>

#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The progress of a search for the smallest makespan.
struct makespan_progress {
  double seconds = 0;           ///< since the search began
  double makespan = 0;          ///< of the best cut so far; 0: none yet
  double bound = 0;             ///< no cut has a smaller makespan
  std::size_t nodes = 0;        ///< partial cuts examined; a hundred choices count as one while bounds are computed
  std::size_t simulations = 0;  ///< complete cuts examined
};

/// Limits and callbacks of a search. Unset fields keep their defaults.
struct search_limits {
  std::optional<double> time_limit = 10.0;  ///< seconds; unset: until optimality is proved
  std::optional<std::size_t> node_limit{};  ///< partial cuts examined, the same on every machine; unset: no limit
  function_ref<bool()> stop{};              ///< polled often; true ends the search with the best so far
  function_ref<void(const makespan_progress&)> progress{};  ///< called now and then, and for every improvement
  std::size_t* nodes_spent = nullptr;  ///< receives the number of nodes, added to its value; null: ignored
};

}  // namespace stagecut::inline STAGECUT_ABI
