// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/detail/gallop.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// How far right a stage reaches that takes as many items as it may: the last of the ends `(known, most]` that is
/// `within`, or `known`, which is not tested, if none is. No end after one that is not within is within.
///
/// Stage by stage from the front, this is the rightmost position of each cut point, if a start further left reaches no
/// further: docs/chains.md, "How far stages reach".
/// @{

/// From `likely` on: O(log d) tests for an end at distance d from it.
template <class Within>
[[nodiscard]] std::size_t rightmost_end(std::size_t known, std::size_t most, std::size_t likely, Within within) {
  return detail::gallop(known + 1, most + 1, likely + 1, [&](std::size_t last) { return !within(last); }) - 1;
}

/// By bisection: O(log (most - known)) tests.
template <class Within>
[[nodiscard]] std::size_t rightmost_end(std::size_t known, std::size_t most, Within within) {
  std::size_t beyond = most + 1;
  while (known + 1 < beyond) {
    const std::size_t middle = known + (beyond - known) / 2;
    (within(middle) ? known : beyond) = middle;
  }
  return known;
}
/// @}

}  // namespace stagecut::inline STAGECUT_ABI::detail
