// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/text.hpp>

// Scalars of YAML.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A scalar, or the problem with it.
struct yaml_scalar {
  json value{};
  std::string problem{};  ///< empty: none
};

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Removes the digits at the front of a text; returns their number.
constexpr std::size_t take_digits(std::string_view& text) noexcept {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

/// Whether a text is a decimal number; `whole`: without a fraction and an exponent.
[[nodiscard]] constexpr bool is_yaml_number(std::string_view text, bool& whole) noexcept {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  std::size_t digits = take_digits(text);
  whole = text.empty();
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    digits += take_digits(text);
  }
  if (digits == 0) return false;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    if (take_digits(text) == 0) return false;
  }
  return text.empty();
}

/// The number in a text.
[[nodiscard]] inline yaml_scalar yaml_number(std::string_view text, bool whole) {
  const std::string_view digits = text.substr(text.front() == '-' || text.front() == '+' ? 1 : 0);
  // 010 is 8 in YAML 1.1 and 10 in 1.2.
  if (whole && digits.size() > 1 && digits.front() == '0') {
    return {{}, joined({in_quotes(text), " begins with 0: without it, it is one number to all"})};
  }
  if (text.front() == '+') text.remove_prefix(1);
  const char* const last = text.data() + text.size();
  if (whole && text.front() == '-') {
    json::number_integer_t value = 0;
    if (std::from_chars(text.data(), last, value).ec == std::errc()) return {value, {}};
  } else if (whole) {
    json::number_unsigned_t value = 0;
    if (std::from_chars(text.data(), last, value).ec == std::errc()) return {value, {}};
  }
  double value = 0;
  if (std::from_chars(text.data(), last, value).ec == std::errc() && is_finite(value)) return {value, {}};
  return {{}, joined({"number ", in_quotes(text), " is out of range"})};
}

/// The meaning of a text without quotes: nothing, a truth value, a number, or itself. Rejects texts with different values
/// in YAML 1.1 and 1.2, and numbers that JSON lacks.
[[nodiscard]] inline yaml_scalar plain_scalar(std::string_view text) {
  const auto any_of = [&](std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
      if (text == word) return true;
    }
    return false;
  };
  if (any_of({"", "~", "null", "Null", "NULL"})) return {nullptr, {}};
  if (any_of({"true", "True", "TRUE"})) return {true, {}};
  if (any_of({"false", "False", "FALSE"})) return {false, {}};
  if (any_of({"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"})) {
    return {
        {},
        joined({in_quotes(text), " is true or false to some and a text to others: write true, false, or quote it"})};
  }
  if (any_of({".inf", ".Inf", ".INF", "-.inf", "-.Inf", "-.INF", "+.inf", "+.Inf", "+.INF", ".nan", ".NaN", ".NAN"})) {
    return {{}, joined({in_quotes(text), " is no finite number"})};
  }
  bool whole = false;
  if (is_yaml_number(text, whole)) return yaml_number(text, whole);
  return {std::string(text), {}};
}

/// Appends a code point as UTF-8.
inline void append_utf8(std::string& text, unsigned long point) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((point >> shift) & 0x3FU)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0U | (point >> 6U));
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0U | (point >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Four hexadecimal digits at a position; false if there are none.
[[nodiscard]] inline bool hex_digits(std::string_view text, std::size_t at, unsigned long& value) {
  if (text.size() < at + 4) return false;
  const auto read = std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
  return read.ec == std::errc() && read.ptr == text.data() + at + 4;
}

/// Reads the escape at `at`, one of JSON's, and advances past it.
/// @return  false for any other
inline bool take_escape(std::string_view line, std::size_t& at, std::string& text) {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (at + 1 == line.size()) return false;
  const std::size_t known = letters.find(line[at + 1]);
  if (known != std::string_view::npos) {
    text += meanings[known];
    at += 2;
    return true;
  }
  unsigned long point = 0;
  if (line[at + 1] != 'u' || !hex_digits(line, at + 2, point)) return false;
  at += 6;
  if (point >= 0xD800 && point < 0xDC00) {
    unsigned long low = 0;
    if (line.substr(at, 2) != "\\u" || !hex_digits(line, at + 2, low) || low < 0xDC00 || low > 0xDFFF) return false;
    at += 6;
    point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
  } else if (point >= 0xDC00 && point <= 0xDFFF) {
    return false;
  }
  append_utf8(text, point);
  return true;
}

/// Reads the text whose quote is at `at` in a line, and advances past its closing quote.
[[nodiscard]] inline yaml_scalar quoted_scalar(std::string_view line, std::size_t& at) {
  const char quote = line[at++];
  std::string text;
  while (at < line.size()) {
    const char c = line[at];
    if (c == quote && (quote == '"' || line.substr(at + 1, 1) != "'")) {
      ++at;
      return {std::move(text), {}};
    }
    if (quote == '"' && c == '\\') {
      if (!take_escape(line, at, text)) {
        return {{}, joined({in_quotes(line.substr(at, 6)), " begins with an escape that is none of JSON's"})};
      }
      continue;
    }
    text += c;
    at += c == quote ? 2 : 1;  // '' is '
  }
  return {{}, "a quote is not closed on its line: texts of several lines are not read"};
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
