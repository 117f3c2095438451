// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The integer part of a time in ticks, below 2^63 in magnitude; rounds towards 0.
[[nodiscard]] constexpr double whole_ticks(double ticks) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(ticks));
}

/// Rounds a finite time in ticks below 2^62 up to an integer; larger times are returned unchanged.
[[nodiscard]] constexpr double whole_ticks_up(double ticks) noexcept {
  if (!(ticks > -0x1p62 && ticks < 0x1p62)) return ticks;
  const double whole = whole_ticks(ticks);
  return whole < ticks ? whole + 1 : whole;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
