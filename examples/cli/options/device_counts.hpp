// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_checks.hpp"
#include "options/quantity.hpp"

/// Checks that a text is `auto`, or a list of numbers of 1 or more.
inline CLI::Validator counts_or_auto() {
  return CLI::Validator(
      [](std::string& text) {
        if (text == "auto") return std::string();
        for (const std::string_view each : split(text, ',')) {
          const auto value = parse_count(each);
          if (!value || *value == 0 || *value > (std::size_t{1} << 20U)) {
            return fmt::format("{} is neither auto nor a number from 1 on, nor a list of them", shown(text));
          }
        }
        return std::string();
      },
      "");
}

/// The numbers in such a text: for `auto` the powers of 2 up to `most`, for an empty text 1.
inline std::vector<std::size_t> counts_of(std::string_view text, std::size_t most) {
  std::vector<std::size_t> result;
  if (text == "auto") {
    for (std::size_t each = 1; each <= most; each *= 2) result.push_back(each);
    return result;
  }
  if (text.empty()) return {1};
  for (const std::string_view each : split(text, ',')) result.push_back(*parse_count(each));
  return result;
}

/// The numbers of replicas that `auto` means, in ascending order: all from 1 to `most`, or, if these are more than
/// `wanted`, the powers of 2, the divisors of `most`, and then the smallest ones, as far as these go.
inline std::vector<std::size_t> replica_counts(std::size_t most, std::size_t wanted) {
  std::vector<bool> taken(most + 1);
  std::size_t left = wanted;
  const auto take = [&](std::size_t each) {
    if (left == 0 || taken[each]) return;
    taken[each] = true;
    --left;
  };
  for (std::size_t each = 1; each <= most; each *= 2) {
    left += left == 0 ? 1 : 0;  // these are always tried
    take(each);
  }
  for (std::size_t each = 1; each <= most; ++each) {
    if (most % each == 0) take(each);
  }
  for (std::size_t each = 1; each <= most; ++each) take(each);
  std::vector<std::size_t> result;
  for (std::size_t each = 1; each <= most; ++each) {
    if (taken[each]) result.push_back(each);
  }
  return result;
}

/// `1 to 16`, or `1 to 4, 6, 8`.
inline std::string counts_text(const std::vector<std::size_t>& ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t end = i + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ascending[i]);
    if (end - i == 2) text += fmt::format(", {}", ascending[end - 1]);
    if (end - i > 2) text += fmt::format(" to {}", ascending[end - 1]);
    i = end;
  }
  return text;
}
