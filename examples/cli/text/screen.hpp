// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/visible.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

/// How wide lines may be, and whether they are shown by a terminal, which may have colours.
struct screen {
  std::size_t width = 100;
  bool colour = false;
  bool terminal = false;
};

/// Characters that a text takes on a screen: of UTF-8, one for each code point.
inline std::size_t glyphs(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// A name as it can be shown: what would mislead a reader, or a terminal would obey, escaped, and no longer than `most`.
inline std::string shown(std::string_view name, std::size_t most = 40) {
  std::string all = stagecut::visible(name);
  std::size_t size = glyphs(all);
  if (size <= most) return all;
  std::size_t first = 0;  // the end tells more than the beginning: encoder.layer.7
  while (size + 2 > most && !name.empty()) {
    const std::string one = stagecut::take_visible(name);
    first += one.size();
    size -= glyphs(one);
  }
  return ".." + all.substr(first);
}
