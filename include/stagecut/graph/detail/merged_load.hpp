// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/layer_merger.hpp>
#include <stagecut/graph/detail/load_solver.hpp>
#include <stagecut/graph/detail/refined_stages.hpp>
#include <stagecut/graph/merge_request.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Merges elements into stages on accelerators, and refines these. There is no partition in the answer if too many are
/// left, or if one does not fit.
[[nodiscard]] inline load_answer<operator_costs::ticks> merged_load(const operator_costs& costs,
                                                                    const precedence& below, const stage_counts& counts,
                                                                    const function_ref<bool()>& stop) {
  load_answer<operator_costs::ticks> result = unsearched(costs, counts);
  layer_merger merger(costs, below, counts.devices, std::numeric_limits<operator_costs::ticks>::max() / 2, 200, stop);
  merger.run(counts.devices, merge_order::lightest);
  if (merger.left() > counts.devices) return result;
  if (counts.at_most) merger.fewer();
  put_refined(costs, below, merger.part_of(), merger.left(), stop, result);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
