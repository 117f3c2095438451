// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/detail/element_stages.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/ideals.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void fill_stage(const engine::ideal_family& family, std::size_t from, std::size_t to, std::size_t stage,
                              std::vector<std::uint32_t>& stage_of) {
  std::vector<std::uint32_t> before(to - from + 1, 0);  // the step by which a set was reached, plus 1, from `from` on
  before[0] = 1;
  for (std::size_t set = from; set < to; ++set) {
    if (before[set - from] == 0) continue;
    for (std::size_t i = family.end[set]; i < family.end[set + 1]; ++i) {
      const std::size_t next = family.steps[i].to;
      if (next <= to && before[next - from] == 0) before[next - from] = static_cast<std::uint32_t>(i + 2);
    }
  }
  for (std::size_t set = to; set != from;) {
    const std::size_t i = before[set - from] - std::size_t{2};
    stage_of[family.steps[i].element] = static_cast<std::uint32_t>(stage);
    std::size_t low = from;
    std::size_t high = set;  // the set whose step it is
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (family.end[middle] <= i ? low : high) = middle;
    }
    set = low;
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
