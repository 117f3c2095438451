// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The ticks of an axis from 0: at multiples of 1, 2 or 5 times a power of ten.
class axis_marks {
 public:
  /// @param until  the end of the axis, in the displayed unit; a number
  /// @param most   most ticks after 0, at least 1
  axis_marks(double until, std::size_t most);

  /// Number of ticks, 0 included.
  [[nodiscard]] std::size_t size() const;
  /// The position of a tick.
  [[nodiscard]] double at(std::size_t mark) const { return static_cast<double>(mark * digit_) * power_; }
  /// Its label.
  [[nodiscard]] std::string text(std::size_t mark) const;

 private:
  double until_;
  std::size_t most_;
  double power_ = 1;
  int exponent_ = 0;
  std::size_t digit_ = 1;
};

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/axis_marks.ipp>
#endif
