// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The items `[first, last)` of a chain, counted from 0.
struct interval {
  std::size_t first = 0;  ///< its first item
  std::size_t last = 0;   ///< the first item after it

  /// Number of items; 0 when `last <= first`.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t size() const noexcept {
    return first < last ? last - first : 0;
  }
  /// Whether it has no item.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool empty() const noexcept { return last <= first; }
  /// Whether it contains `item`.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool contains(std::size_t item) const noexcept {
    return first <= item && item < last;
  }
  /// Equal ends.
  friend constexpr bool operator==(const interval&, const interval&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
