// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/// Whether the tags of an XML text close in the order in which they opened, around one element.
inline bool is_balanced(std::string_view text) {
  std::vector<std::string_view> open;
  std::size_t roots = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) return false;
    const std::string_view tag = text.substr(at + 1, end - at - 1);
    at = end;
    if (tag.find('<') != std::string_view::npos) return false;
    if (tag.starts_with('?')) continue;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
      continue;
    }
    if (open.empty() && ++roots > 1) return false;
    if (!tag.ends_with('/')) open.push_back(tag.substr(0, tag.find_first_of(" \n")));
  }
  return open.empty() && roots == 1;
}

/// The number behind `name="` in a tag.
inline double attribute(std::string_view tag, std::string_view name) {
  const std::string key = " " + std::string(name) + "=\"";
  return std::strtod(std::string(tag.substr(tag.find(key) + key.size(), 20)).c_str(), nullptr);
}

/// A rectangle.
struct svg_rect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// All of a text.
inline std::vector<svg_rect> svg_rects(std::string_view text) {
  std::vector<svg_rect> result;
  for (std::size_t at = text.find("<rect"); at != std::string_view::npos; at = text.find("<rect", at + 1)) {
    const std::string_view tag = text.substr(at, text.find('>', at) - at);
    result.push_back({attribute(tag, "x"), attribute(tag, "y"), attribute(tag, "width"), attribute(tag, "height")});
  }
  return result;
}
