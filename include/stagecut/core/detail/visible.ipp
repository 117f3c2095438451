// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/visible.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL std::size_t utf8_size(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  const std::size_t size = lead < 0x80                    ? 1
                           : lead >= 0xC2 && lead <= 0xDF ? 2
                           : lead >= 0xE0 && lead <= 0xEF ? 3
                           : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                          : 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool too_long = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool beyond = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return too_long || beyond ? 0 : size;
}

STAGECUT_DECL char32_t code_point(std::string_view text, std::size_t size) noexcept {
  char32_t code = static_cast<unsigned char>(text[0]) & (size == 1 ? 0x7FU : 0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return code;
}

}  // namespace detail

STAGECUT_DECL std::string take_visible(std::string_view& text) {
  const std::size_t size = detail::utf8_size(text);
  const std::string_view one = text.substr(0, size == 0 ? 1 : size);
  text.remove_prefix(one.size());
  const char32_t code = size == 0 ? static_cast<unsigned char>(one[0]) : detail::code_point(one, size);
  if (size != 0 && detail::is_visible(code)) return std::string(one);
  std::size_t digits = size == 0 ? 2 : code > 0xFFFF ? 8 : 4;
  std::string shown = digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
  while (digits-- > 0) shown += "0123456789abcdef"[code >> (4 * digits) & 15U];
  return shown;
}

STAGECUT_DECL std::string visible(std::string_view text) {
  std::string shown;
  while (!text.empty()) shown += take_visible(text);
  return shown;
}

}  // namespace stagecut::inline STAGECUT_ABI
