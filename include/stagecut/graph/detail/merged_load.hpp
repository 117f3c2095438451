// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/layer_merger.hpp>
#include <stagecut/graph/detail/load_bounds.hpp>
#include <stagecut/graph/detail/load_refiner.hpp>
#include <stagecut/graph/detail/load_solver.hpp>
#include <stagecut/graph/merge_request.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline v0::detail {

/// Merges elements into stages on accelerators, and refines these. There is no partition in the answer if too many are
/// left, or if one does not fit.
[[nodiscard]] inline load_answer<operator_costs::ticks> merged_load(const operator_costs& costs,
                                                                    const precedence& below, const stage_counts& counts,
                                                                    const function_ref<bool()>& stop) {
  using ticks = operator_costs::ticks;
  load_answer<ticks> result;
  const operator_set empty(costs);
  result.bound = counts.cpus == 0 ? bound_on_devices(empty, counts.devices)
                                  : std::max(average_bound(empty, counts), heaviest_bound(empty, counts));
  layer_merger merger(costs, below, counts.devices, std::numeric_limits<ticks>::max() / 2, 200, stop);
  merger.run(counts.devices, merge_order::lightest);
  if (merger.left() > counts.devices) return result;
  if (counts.at_most) merger.fewer();
  element_stages<ticks> found;
  found.kinds.resize(merger.left());
  load_refiner refiner(costs, below, merger.part_of(), found.kinds, false);
  for (std::size_t s = 0; s < found.kinds.size(); ++s) {
    if (!refiner.set(s).fits({0, s, found.kinds.size()})) return result;
  }
  do ++result.rounds;
  while (refiner.pass(stop) && !(stop && stop()));
  found.stage_of = refiner.stages().all();
  found.value = refiner.greatest();
  result.best = found;
  result.pool.push_back(std::move(found));
  return result;
}

}  // namespace stagecut::inline v0::detail
