// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The marks of an axis from 0: at multiples of 2, 5 or 10 times a power of ten.
class axis_marks {
 public:
  /// @param until  where the axis ends, in the unit in which it is shown; finite
  /// @param most   marks behind 0, at least 1
  axis_marks(double until, std::size_t most) : until_(until) {
    double step = until > 0 ? until / static_cast<double>(most) : 1;
    for (; step > 10; step /= 10) ++exponent_, power_ *= 10;
    for (; step <= 1; step *= 10) --exponent_, power_ /= 10;
    digit_ = step <= 2 ? 2 : step <= 5 ? 5 : 10;
  }

  /// Marks, that of 0 included.
  [[nodiscard]] std::size_t size() const {
    std::size_t count = 1;
    while (at(count) <= until_ * (1 + 1e-9)) ++count;
    return count;
  }
  /// Where a mark stands.
  [[nodiscard]] double at(std::size_t mark) const { return static_cast<double>(mark * digit_) * power_; }
  /// Its label.
  [[nodiscard]] std::string text(std::size_t mark) const {
    std::string digits = std::to_string(mark * digit_);
    if (mark == 0) return digits;
    if (exponent_ >= 0) return digits.append(static_cast<std::size_t>(exponent_), '0');
    const auto decimals = static_cast<std::size_t>(-exponent_);
    if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
    const std::size_t point = digits.size() - decimals;
    // A step of 10 has one digit more than it needs.
    if (digit_ == 10) digits.pop_back();
    if (point < digits.size()) digits.insert(point, 1, '.');
    return digits;
  }

 private:
  double until_;
  double power_ = 1;
  int exponent_ = 0;
  std::size_t digit_ = 1;
};

}  // namespace stagecut::inline STAGECUT_ABI::io
