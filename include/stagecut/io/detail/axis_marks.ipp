// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/axis_marks.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL axis_marks::axis_marks(double until, std::size_t most)
    : until_(std::min(until, std::numeric_limits<double>::max())), most_(most) {
  double step = until > 0 ? until_ / static_cast<double>(most) : 1;
  for (; step > 10; step /= 10) ++exponent_, power_ *= 10;
  for (; step <= 1; step *= 10) --exponent_, power_ /= 10;
  digit_ = step <= 2 ? 2 : step <= 5 ? 5 : 10;
}

STAGECUT_DECL std::size_t axis_marks::size() const {
  std::size_t count = 1;
  while (count <= most_ && at(count) <= until_ * (1 + 1e-9)) ++count;
  return count;
}

STAGECUT_DECL std::string axis_marks::text(std::size_t mark) const {
  std::string digits = std::to_string(mark * digit_);
  if (mark == 0) return digits;
  if (exponent_ >= 0) return digits.append(static_cast<std::size_t>(exponent_), '0');
  const auto decimals = static_cast<std::size_t>(-exponent_);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  const std::size_t point = digits.size() - decimals;
  // A step of 10 has a superfluous digit.
  if (digit_ == 10) digits.pop_back();
  if (point < digits.size()) digits.insert(point, 1, '.');
  return digits;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
