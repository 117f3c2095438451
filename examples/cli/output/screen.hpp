// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/visible.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

/// The line width, and whether a terminal shows the lines, possibly with colours.
struct screen {
  std::size_t width = 100;
  bool colour = false;
  bool terminal = false;
};

/// The width of a text on a screen: one per code point of UTF-8.
inline std::size_t glyphs(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// A printable form of a name: misleading or control characters escaped, at most `most` long.
inline std::string shown(std::string_view name, std::size_t most = 40) {
  std::string all = stagecut::visible(name);
  std::size_t size = glyphs(all);
  if (size <= most) return all;
  std::size_t first = 0;  // the end is more informative: encoder.layer.7
  while (size + 2 > most && !name.empty()) {
    const std::string one = stagecut::take_visible(name);
    first += one.size();
    size -= glyphs(one);
  }
  return ".." + all.substr(first);
}
