// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>

#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How far a search for the least makespan is.
struct makespan_progress {
  double seconds = 0;           ///< since it began
  double makespan = 0;          ///< of the best cut so far; 0: there is none yet
  double bound = 0;             ///< no cut has less
  std::size_t nodes = 0;        ///< partial cuts looked at, a hundred choices while bounds are computed for one
  std::size_t simulations = 0;  ///< whole cuts looked at
};

/// How long to search, and whom to tell. What is not said stays at its default.
struct search_limits {
  std::optional<double> time_limit = 10.0;  ///< seconds; unset: until the answer is proved
  std::optional<std::size_t> node_limit{};  ///< partial cuts looked at, the same on every machine; unset: no limit
  function_ref<bool()> stop{};              ///< asked often; true ends the search with the best so far
  function_ref<void(const makespan_progress&)> progress{};  ///< told now and then, and whenever something is found
  std::size_t* nodes_spent = nullptr;                       ///< to which the nodes looked at are added; null: nowhere
};

}  // namespace stagecut::inline STAGECUT_ABI
