// SPDX-License-Identifier: BSL-1.0
#pragma once

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

using stagecut::detail::fail;
using stagecut::detail::in_quotes;
using stagecut::detail::joined;
using stagecut::detail::utf8_size;
using stagecut::visible;

/// A text read line by line. Lines end with LF or CR LF; skips a byte-order mark.
class line_reader {
 public:
  /// @param source  the name of the text in errors: a file's
  line_reader(std::string_view text, std::string_view source) : rest_(text), source_(source) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  /// Goes to the next line that is not blank; false at the end.
  bool next() {
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

  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }

  /// `SOURCE:LINE`.
  [[nodiscard]] std::string place(std::size_t line) const { return joined({source_, ":", line}); }
  [[nodiscard]] std::string place() const { return place(number_); }
  [[nodiscard]] std::string source() const { return std::string(source_); }

 private:
  std::string_view rest_;
  std::string_view source_;
  std::string_view line_;
  std::size_t number_ = 0;
};

/// Whether a text is well-formed UTF-8: what JSON can hold.
[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Whether `text` is a decimal number, whatever its value.
[[nodiscard]] inline bool is_number(std::string_view text) {
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

/// A finite number that is not negative.
/// @throws invalid_input with the place, the field and the text if it is anything else
[[nodiscard]] inline double amount(std::string_view text, std::string_view field, const std::string& place) {
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

/// Refuses a layer whose passes together take a time that is out of range.
inline void check_time(const layer& each, const std::string& place) {
  if (!is_finite(each.time())) fail(invalid_input(place, "forward + backward is out of range"));
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
