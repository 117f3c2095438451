// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/load_bounds.hpp>
#include <stagecut/graph/detail/load_refiner.hpp>
#include <stagecut/graph/detail/load_solver.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The bounds on the least load that need no partition: the average, and the heaviest element.
[[nodiscard]] inline load_answer<operator_costs::ticks> unsearched(const operator_costs& costs,
                                                                   const stage_counts& counts) {
  load_answer<operator_costs::ticks> result;
  result.bound = weight_bound(operator_set(costs), counts);
  return result;
}

/// Moves single elements between stages on accelerators, and updates an answer if the result is better; does nothing if
/// a stage does not fit.
/// @param stage_of  of each element; no stage is empty
/// @param stages    number of stages
inline void put_refined(const operator_costs& costs, const precedence& below, std::vector<std::uint32_t> stage_of,
                        std::size_t stages, const function_ref<bool()>& stop,
                        load_answer<operator_costs::ticks>& result) {
  element_stages<operator_costs::ticks> found;
  found.kinds.resize(stages);
  load_refiner refiner(costs, below, std::move(stage_of), found.kinds, false);
  for (std::size_t s = 0; s < stages; ++s) {
    if (!refiner.set(s).fits({0, s, stages})) return;
  }
  do ++result.rounds;
  while (!(stop && stop()) && refiner.pass(stop));
  found.stage_of = refiner.stages().all();
  found.value = refiner.greatest();
  const bool better = !result.best || found.value < result.best->value;
  if (better) result.best = found;
  result.pool.insert(better ? result.pool.begin() : result.pool.end(), std::move(found));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
