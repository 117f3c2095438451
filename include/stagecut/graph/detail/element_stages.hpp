// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/graph/detail/down_sets.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// On what stages stand.
struct stage_counts {
  std::size_t devices = 1;  ///< accelerators
  std::size_t cpus = 0;     ///< CPUs at most
  bool at_most = false;     ///< whether fewer accelerators will do
  std::size_t stages = 0;   ///< on both together; 0: any number
  std::size_t before = 0;   ///< stages in front of them
  std::size_t behind = 0;   ///< stages after them
};

/// Stages of elements: of every element its stage, of every stage the kind of its device, and the greatest value.
template <class Value>
struct element_stages {
  std::vector<std::uint32_t> stage_of{};
  std::vector<std::uint8_t> kinds{};
  Value value = std::numeric_limits<Value>::max();
};

/// Writes the stage of what a set holds more than another, by a path between them, searched backwards over numbers.
inline void fill_stage(const down_set_family& family, std::size_t from, std::size_t to, std::size_t stage,
                       std::vector<std::uint32_t>& stage_of) {
  std::vector<std::uint32_t> before(to - from + 1, 0);  // the step by which a set was met, plus 1, from `from` on
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
