// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/sequence/detail/layered_total.hpp>

#include <cstddef>

#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL cut_windows::cut_windows(std::size_t items, std::size_t stages)
    : lowest(stages + 1), highest(stages + 1) {
  for (std::size_t s = 1; s < stages; ++s) {
    lowest[s] = s;
    highest[s] = items - (stages - s);
  }
  lowest[stages] = highest[stages] = items;
}

STAGECUT_DECL void cut_windows::increase() {
  for (std::size_t s = 1; s <= stages(); ++s) {
    if (lowest[s] <= lowest[s - 1]) lowest[s] = lowest[s - 1] + 1;
  }
  for (std::size_t s = stages(); s-- > 0;) {
    if (highest[s] >= highest[s + 1]) highest[s] = highest[s + 1] - 1;
  }
}

STAGECUT_DECL std::size_t cut_windows::size() const {
  std::size_t sum = 0;
  for (std::size_t s = 0; s < lowest.size(); ++s) sum += highest[s] - lowest[s] + 1;
  return sum;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
