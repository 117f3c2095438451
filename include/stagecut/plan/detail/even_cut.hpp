// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/plan/detail/objective_cut.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The most even of the cuts of blocks whose stages have at most so many layers: of which the squares of the stages' numbers
/// of layers have the least sum; of several, the one whose first stage is longest, then the next, and so on.
///
/// @param blocks   the layers of each item of the chain
/// @param stages   k
/// @param most     layers of a stage; a cut within that must be allowed
/// @param allowed  whether the blocks `[first, last)` may be a stage: asked for all that have at most `most` layers
/// @return         cut points between blocks
///
/// Where the n layers are one block each, O(k (k most - n + 1) most) calls of `allowed`.
[[nodiscard]] inline cuts even_cut(const cuts& blocks, std::size_t stages, std::size_t most,
                                   function_ref<bool(std::size_t stage, std::size_t first, std::size_t last)> allowed) {
  struct suffix {
    std::size_t squares = ~std::size_t{0};  // none is known
    std::size_t end = 0;                    // of its first stage
  };
  const std::size_t n = blocks.stages();
  // Stage s begins at a block from lowest[s] on: before it, and from it on, no stage is longer than the longest.
  std::vector<std::size_t> lowest(stages + 1);
  std::vector<std::vector<suffix>> from(stages + 1);
  std::size_t first = 0, last = 0;
  for (std::size_t s = 0; s <= stages; ++s) {
    const std::size_t behind = (stages - s) * most;
    while (blocks[first] + behind < blocks[n]) ++first;
    while (last < n && blocks[last + 1] <= s * most) ++last;
    lowest[s] = first;
    from[s].resize(last < first ? 0 : last - first + 1);
  }
  from[stages].back().squares = 0;
  for (std::size_t s = stages; s-- != 0;) {
    for (std::size_t at = 0; at < from[s].size(); ++at) {
      const std::size_t begin = lowest[s] + at;
      for (std::size_t next = 0; next < from[s + 1].size(); ++next) {
        const std::size_t end = lowest[s + 1] + next;
        if (end <= begin || from[s + 1][next].squares == ~std::size_t{0}) continue;
        const std::size_t layers = blocks[end] - blocks[begin];
        if (layers > most) break;
        const std::size_t squares = from[s + 1][next].squares + layers * layers;
        if (squares <= from[s][at].squares && allowed(s, begin, end)) from[s][at] = {squares, end};
      }
    }
  }
  std::vector<std::size_t> points = {0};
  for (std::size_t s = 0; s < stages; ++s) points.push_back(from[s][points.back() - lowest[s]].end);
  return cuts(std::move(points));
}

/// A cut whose longest stage is as short as can be, made even.
/// @param blocks  the layers of each of its items
/// @param within  the constraint that it keeps to
template <stage_constraint Constraint>
[[nodiscard]] outcome<objective_cut> evened(outcome<objective_cut> found, const cuts& blocks,
                                            const Constraint& within) {
  if (!found) return found;
  const auto allowed = [&](std::size_t s, std::size_t first, std::size_t last) -> bool {
    return within(s, first, last);
  };
  found->cuts = even_cut(blocks, found->cuts.stages(), static_cast<std::size_t>(found->value), allowed);
  for (std::size_t s = 0; s < found->costs.size(); ++s) {
    found->costs[s] = static_cast<double>(blocks[found->cuts[s + 1]] - blocks[found->cuts[s]]);
  }
  return found;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
