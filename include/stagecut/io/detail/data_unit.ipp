// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/data_unit.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <string>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

STAGECUT_DECL std::string figure(double value) {
  int decimals = 3;
  for (double rest = value; rest >= 10 && decimals > 0; rest /= 10) --decimals;
  for (double rest = value; rest > 0 && rest < 1 && decimals < 15; rest *= 10) ++decimals;
  std::array<char, 400> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, decimals);
  std::string text(digits.data(), end.ptr);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace detail

STAGECUT_DECL data_unit time_unit(double longest, bool seconds) {
  if (!seconds) return {};
  if (longest >= 1 || longest <= 0) return {1, "s"};
  if (longest >= 1e-3) return {1e-3, "ms"};
  return longest >= 1e-6 ? data_unit{1e-6, "\u00B5s"} : data_unit{1e-9, "ns"};
}

STAGECUT_DECL data_unit memory_unit(double most, bool bytes) {
  if (!bytes) return {};
  constexpr const char* names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t step = 0;
  double size = 1;
  for (; most / size >= 1024 && step < 5; ++step) size *= 1024;
  return {size, names[step]};
}

}  // namespace stagecut::inline STAGECUT_ABI::io
