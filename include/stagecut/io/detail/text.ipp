// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/detail/text.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/visible.hpp>
#include <stagecut/profile/layer.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

STAGECUT_DECL bool line_reader::next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    if (line_.find_first_not_of(" \t") != std::string_view::npos) return true;
  }
  return false;
}

STAGECUT_DECL bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

STAGECUT_DECL std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

STAGECUT_DECL bool is_number(std::string_view text) {
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

STAGECUT_DECL double amount(std::string_view text, std::string_view field, const std::string& place) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const char* const problem = error == std::errc::invalid_argument || end != text.data() + text.size()
                                  ? "is not a number"
                              : error == std::errc::result_out_of_range ? "is out of range"
                              : is_nan(value)                           ? "is NaN"
                              : !is_finite(value)                       ? "is infinite"
                              : is_negative(value)                      ? "is negative"
                                                                        : nullptr;
  if (problem != nullptr) fail(invalid_input(place, joined({field, ": ", in_quotes(text), " ", problem})));
  return value;
}

STAGECUT_DECL std::string shortest_text(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

STAGECUT_DECL void check_time(const layer& each, const std::string& place) {
  if (!is_finite(each.time())) fail(invalid_input(place, "forward + backward is out of range"));
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
