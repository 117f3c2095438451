// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/shortage.hpp>

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL double least_fullest(std::size_t items, std::size_t stages,
                                   function_ref<double(std::size_t, std::size_t, std::size_t)> held) {
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> best(items + 1, none);  // of the items before each, in the stages so far
  best[0] = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    std::vector<double> next(items + 1, none);
    for (std::size_t last = s + 1; last <= items; ++last) {
      for (std::size_t first = s; first < last; ++first) {
        if (!(best[first] < next[last])) continue;
        const double here = held(s, first, last);
        const double fullest = best[first] < here ? here : best[first];
        if (fullest < next[last]) next[last] = fullest;
      }
    }
    best = std::move(next);
  }
  return best[items];
}

STAGECUT_DECL std::size_t whole_bytes(double bytes) {
  const std::size_t whole = floor_bytes(bytes);
  return static_cast<double>(whole) < bytes && bytes < 0x1p63 ? whole + 1 : whole;
}

STAGECUT_DECL std::size_t floor_bytes(double bytes) {
  return bytes < 0x1p63 ? static_cast<std::size_t>(bytes) : std::size_t{1} << 63U;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
