// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "options/option_checks.hpp"
#include "options/quantity.hpp"

/// A number, or an inclusive range: `3`, `1..4`.
struct count_range {
  std::size_t first = 0;
  std::size_t last = 0;

  [[nodiscard]] bool is_one() const noexcept { return first == last; }
};

/// Parses a range.
/// @throws CLI::ValidationError naming the option
inline count_range parse_count_range(const char* option, std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto first = parse_count(text.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : parse_count(text.substr(dots + 2));
  if (!first || !last || *first == 0 || *last < *first) {
    throw CLI::ValidationError(
        option, fmt::format("{} is no number from 1 on, and no range of them, as 1..4", shown(std::string(text))));
  }
  return {*first, *last};
}

/// Checks that a text is a number of 1 or more, or a range of them.
inline CLI::Validator count_or_range() {
  CLI::Validator one = count();
  return CLI::Validator(
      [one](std::string& text) {
        if (text.find("..") == std::string::npos) return one(text);
        try {
          (void)parse_count_range("", text);
          return std::string();
        } catch (const CLI::ValidationError&) {
          return fmt::format("{} is no range of numbers from 1 on, as 1..4", shown(text));
        }
      },
      "");
}
