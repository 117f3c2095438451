// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>

// How user text is displayed in tables, errors and pictures. Files contain it unchanged.
namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Bytes of the well-formed UTF-8 character at the start of a nonempty text; 0 if it is invalid.
[[nodiscard]] STAGECUT_DECL std::size_t utf8_size(std::string_view text) noexcept;

/// A range of code points.
struct code_points {
  char32_t first;
  char32_t last;
};

/// Characters that could mislead a reader of a name: those that control a terminal or a viewer, that change the direction
/// of a text, or that are invisible, so that different names look the same. Ascending.
///
/// Source: Unicode 15.0, the categories Cc, Zl and Zp, and the property Default_Ignorable_Code_Point. The latter includes
/// joiners (U+200C, U+200D) and variation selectors: languages and emoji need them, but they are invisible too. The last
/// two code points of each plane are noncharacters, and not listed here.
inline constexpr code_points misleading[] = {
    {0x0000, 0x001F},    // controls: escape
    {0x007F, 0x009F},    // controls: CSI, next line
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian selectors
    {0x200B, 0x200F},    // zero-width space, joiners, direction marks
    {0x2028, 0x202E},    // ends of lines and paragraphs, embedded and overridden directions
    {0x2060, 0x206F},    // word joiner, invisible operators, isolated directions
    {0x3164, 0x3164},    // Hangul filler
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte-order mark
    {0xFFA0, 0xFFA0},    // Hangul filler
    {0xFFF0, 0xFFFB},    // unassigned, annotations
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags, variation selectors
};

/// Whether a character is shown unchanged.
[[nodiscard]] constexpr bool is_visible(char32_t code) noexcept {
  if ((code & 0xFFFEU) == 0xFFFEU) return false;  // noncharacter
  for (const auto& [first, last] : misleading) {
    if (code <= last) return code < first;
  }
  return true;
}

/// The code point of the well-formed character of `size` bytes at the start of a text.
[[nodiscard]] STAGECUT_DECL char32_t code_point(std::string_view text, std::size_t size) noexcept;

}  // namespace detail

/// Removes the first character from a text and returns its displayed form: unchanged, or, if it would mislead a reader,
/// escaped as in Python strings: `\u202e`, `\U000e0041`, and `\xff` for a byte that is not UTF-8.
///
/// @param text  loses its first character, which may have several bytes
/// @pre         it is not empty
[[nodiscard]] STAGECUT_DECL std::string take_visible(std::string_view& text);

/// A text as displayed: escapes characters that control a terminal or a viewer, that change its direction or that are
/// invisible, as `take_visible` does; all else is unchanged, including backslashes, so visible text stays the same.
[[nodiscard]] STAGECUT_DECL std::string visible(std::string_view text);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/core/detail/visible.ipp>
#endif
