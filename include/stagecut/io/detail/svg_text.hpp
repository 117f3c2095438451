// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/schedule/op.hpp>

// The elements of SVG files: numbers, names and colours.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Colours; `op_colour` has those of ops.
/// @{
inline constexpr std::string_view ink = "#1f2328";
inline constexpr std::string_view faint_ink = "#656d76";
inline constexpr std::string_view idle_colour = "#eef0f3";
inline constexpr std::string_view critical_colour = "#c2185b";
inline constexpr std::string_view resident_colour = "#c3cad3";
inline constexpr std::string_view activation_colour = "#cdbdeb";
inline constexpr std::string_view activation_ink = "#6a4fb3";
inline constexpr std::string_view limit_colour = "#cf222e";
/// @}

/// A coordinate in hundredths of a pixel, without trailing zeros.
inline void put(std::string& to, double pixels) {
  const long long hundredths = std::llround(pixels * 100);
  const auto size = static_cast<unsigned long long>(hundredths < 0 ? -hundredths : hundredths);
  if (hundredths < 0) to += '-';
  to += std::to_string(size / 100);
  if (size % 100 == 0) return;
  to += '.';
  to += static_cast<char>('0' + size % 100 / 10);
  if (size % 10 != 0) to += static_cast<char>('0' + size % 10);
}
inline void put(std::string& to, std::string_view text) { to += text; }

/// Appends the parts; numbers as coordinates.
template <class... Parts>
void add(std::string& to, const Parts&... parts) {
  const auto one = [&to](const auto& part) {
    if constexpr (std::floating_point<std::remove_cvref_t<decltype(part)>>) {
      put(to, static_cast<double>(part));
    } else {
      put(to, std::string_view(part));
    }
  };
  (one(parts), ...);
}

/// A name in XML: `visible`, which removes characters that XML forbids, with markup escaped.
[[nodiscard]] inline std::string xml_text(std::string_view name) {
  std::string text;
  for (const char c : visible(name)) {
    if (c == '&') {
      text += "&amp;";
    } else if (c == '<') {
      text += "&lt;";
    } else if (c == '>') {
      text += "&gt;";
    } else if (c == '"') {
      text += "&quot;";
    } else {
      text += c;
    }
  }
  return text;
}

/// The approximate width of a text, in the widest of the usual fonts.
[[nodiscard]] inline double text_width(std::string_view text, double font) {
  double sum = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;  // not the first byte of a character
    const bool slim = std::string_view("fijlrt .,:;'|()[]I").find(c) != std::string_view::npos;
    const bool wide = (c >= 'A' && c <= 'Z' && c != 'I') || c == 'm' || c == 'w' || c == '%';
    sum += slim ? 0.37 : wide ? 0.8 : 0.63;
  }
  return sum * font;
}

/// A text, truncated if it would be wider than `room`.
[[nodiscard]] inline std::string shortened(std::string_view text, double font, double room) {
  if (text_width(text, font) <= room) return std::string(text);
  std::size_t end = 0;
  while (end < text.size() && text_width(text.substr(0, end), font) + 2 * font <= room) ++end;
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return joined({text.substr(0, end), "\u2026"});
}

/// A share in per cent: `27.3 %`.
[[nodiscard]] inline std::string percent_text(double share) {
  const long long tenths = std::llround(share * 1000);
  return joined({std::to_string(tenths / 10), ".", std::to_string(tenths % 10), " %"});
}

/// The colour of a kind of op on stage `chunk` of a rank's `chunks`: the first is darkest.
[[nodiscard]] inline std::string op_colour(op_kind kind, std::size_t chunk, std::size_t chunks) {
  struct range {
    std::array<unsigned, 3> dark, light;
  };
  constexpr range forward{{0x6f, 0xa8, 0xee}, {0xcd, 0xe1, 0xfa}};
  constexpr range backward{{0xf4, 0xa2, 0x4c}, {0xfc, 0xdf, 0xbb}};
  constexpr range input{{0x4d, 0xbc, 0xb6}, {0xbf, 0xe8, 0xe5}};
  constexpr range weight{{0x78, 0xc0, 0x66}, {0xd1, 0xec, 0xc9}};
  constexpr range reduce{{0xa9, 0x92, 0xda}, {0xa9, 0x92, 0xda}};
  constexpr range step{{0xdd, 0x8f, 0xb8}, {0xdd, 0x8f, 0xb8}};
  const range& of = kind == op_kind::forward           ? forward
                    : kind == op_kind::backward        ? backward
                    : kind == op_kind::backward_input  ? input
                    : kind == op_kind::backward_weight ? weight
                    : kind == op_kind::optimizer_step  ? step
                                                       : reduce;
  constexpr std::string_view digits = "0123456789abcdef";
  const std::size_t last = chunks > 1 ? chunks - 1 : 1;
  const std::size_t at = chunks > 1 ? chunk : 0;
  std::string text = "#";
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t level = (of.dark[i] * (last - at) + of.light[i] * at) / last;
    text.append(1, digits[level / 16]).append(1, digits[level % 16]);
  }
  return text;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
