// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Converts seconds or bytes to integer ticks. A tick is a power of two of the unit. Sums of ticks are exact, so they
/// do not depend on the order of additions and subtractions.
class tick_scale {
 public:
  /// A scale whose tick is the unit.
  tick_scale() = default;

  /// @param sum     upper bound of the sum of all figures; finite, not negative
  /// @param digits  the sum in ticks is below 2^digits
  explicit tick_scale(double sum, int digits = 60) {
    if (!(sum > 0)) return;
    int exponent = 0;
    (void)__builtin_frexp(sum, &exponent);
    power_ = digits - exponent;
  }

  /// Rounds to the nearest tick; ties to even.
  [[nodiscard]] std::int64_t nearest(double figure) const {
    return static_cast<std::int64_t>(__builtin_llrint(__builtin_ldexp(figure, power_)));
  }
  /// Rounds up.
  [[nodiscard]] std::int64_t up(double figure) const {
    return static_cast<std::int64_t>(__builtin_ceil(__builtin_ldexp(figure, power_)));
  }
  /// Rounds down; `most` from 2^62 on.
  [[nodiscard]] std::int64_t down(double figure, std::int64_t most = std::int64_t{1} << 62U) const {
    const double ticks = __builtin_floor(__builtin_ldexp(figure, power_));
    return ticks < 0x1p62 ? static_cast<std::int64_t>(ticks) : most;
  }
  /// Converts ticks to a figure.
  [[nodiscard]] double figure(std::int64_t ticks) const { return __builtin_ldexp(static_cast<double>(ticks), -power_); }

 private:
  int power_ = 0;  // exponent of two: ticks per unit
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
