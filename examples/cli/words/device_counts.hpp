// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "words/quantity.hpp"
#include "words/words.hpp"

/// Whether a text is `auto`, or a list of numbers from 1 on.
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

/// The numbers in such a text: of `auto` the powers of 2 up to `most`, of none 1.
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
