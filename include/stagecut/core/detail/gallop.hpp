// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The smallest index in `[lowest, highest]` at which `fits` holds, if it holds from some index on; `highest`, which is
/// not tested, if there is none below. Starts near `likely`: O(log d) calls, where d is the distance from the result to
/// it.
template <class Predicate>
[[nodiscard]] constexpr std::size_t gallop(std::size_t lowest, std::size_t highest, std::size_t likely,
                                           Predicate fits) {
  if (likely < lowest) likely = lowest;
  if (likely < highest && !fits(likely)) {
    lowest = likely + 1;
    for (std::size_t step = 1; step < highest - lowest; step *= 2) {
      if (fits(lowest + step)) {
        highest = lowest + step;
        break;
      }
      lowest += step + 1;
    }
  } else {
    if (likely < highest) highest = likely;
    for (std::size_t step = 1; step <= highest - lowest; step *= 2) {
      if (!fits(highest - step)) {
        lowest = highest - step + 1;
        break;
      }
      highest -= step;
    }
  }
  while (lowest < highest) {
    const std::size_t middle = lowest + (highest - lowest) / 2;
    if (fits(middle)) {
      highest = middle;
    } else {
      lowest = middle + 1;
    }
  }
  return lowest;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
