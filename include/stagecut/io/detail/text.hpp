// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/visible.hpp>
#include <stagecut/profile/layer.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

using stagecut::visible;
using stagecut::detail::fail;
using stagecut::detail::in_quotes;
using stagecut::detail::joined;
using stagecut::detail::utf8_size;

/// A text read line by line. Lines end with LF or CR LF; skips a byte-order mark.
class line_reader {
 public:
  /// @param source  the text's name in errors: a file name
  line_reader(std::string_view text, std::string_view source) : rest_(text), source_(source) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  /// Advances to the next line that is not blank; false at the end.
  bool next();

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

/// Whether a text is well-formed UTF-8, as JSON requires.
[[nodiscard]] STAGECUT_DECL bool is_utf8(std::string_view text) noexcept;

[[nodiscard]] STAGECUT_DECL std::string_view trimmed(std::string_view text) noexcept;

/// Whether `text` is a decimal number of any value.
[[nodiscard]] STAGECUT_DECL bool is_number(std::string_view text);

/// A finite number that is not negative.
/// @throws invalid_input with the position, the field and the text for anything else
[[nodiscard]] STAGECUT_DECL double amount(std::string_view text, std::string_view field, const std::string& place);

/// The shortest text that reads back as the same number.
[[nodiscard]] STAGECUT_DECL std::string shortest_text(double value);

/// Rejects a layer whose total time is out of range.
STAGECUT_DECL void check_time(const layer& each, const std::string& place);

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/text.ipp>
#endif
