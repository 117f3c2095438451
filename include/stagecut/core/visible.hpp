// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>

// How a text of the user's is shown to people: in tables, errors and pictures. Files hold it as it is.
namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Bytes of the well-formed UTF-8 character with which a text that is not empty begins; 0 if it is none.
[[nodiscard]] STAGECUT_DECL std::size_t utf8_size(std::string_view text) noexcept;

/// Some code points in a row.
struct code_points {
  char32_t first;
  char32_t last;
};

/// What could mislead whoever reads a name: what a terminal or a viewer obeys, what changes the direction of a text, and
/// what takes no room, by which names differ that look the same. Ascending.
///
/// Source: Unicode 15.0, the categories Cc, Zl and Zp, and the property Default_Ignorable_Code_Point. The latter holds
/// joiners (U+200C, U+200D) and variation selectors too: languages and emoji need them, but they are not seen either. The
/// last two code points of each plane are no characters, and not told here.
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

/// Whether a character is shown as it is.
[[nodiscard]] constexpr bool is_visible(char32_t code) noexcept {
  if ((code & 0xFFFEU) == 0xFFFEU) return false;  // no character
  for (const auto& [first, last] : misleading) {
    if (code <= last) return code < first;
  }
  return true;
}

/// The code point of a well-formed character of `size` bytes with which a text begins.
[[nodiscard]] STAGECUT_DECL char32_t code_point(std::string_view text, std::size_t size) noexcept;

}  // namespace detail

/// Takes the first character from a text, and returns it as it is shown: as it is, or, if it would mislead a reader, as
/// strings of Python spell it: `\u202e`, `\U000e0041`, and of a byte that is no UTF-8 `\xff`.
///
/// @param text  loses its first character, which may be of several bytes
/// @pre         it is not empty
[[nodiscard]] STAGECUT_DECL std::string take_visible(std::string_view& text);

/// A text as it is shown to people: characters that a terminal or a viewer obeys, that change its direction or that take no
/// room are escaped, as `take_visible` does; all else stays, backslashes too, so what is visible already does not change.
[[nodiscard]] STAGECUT_DECL std::string visible(std::string_view text);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/core/detail/visible.ipp>
#endif
