// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

// What the words of several commands have in common.

/// The options that help shows only to those who want all of it.
inline constexpr const char* rare_options = "Seldom needed";

/// A check for a word, which help does not list again.
inline CLI::Validator one_of(const std::vector<std::string>& words) { return CLI::IsMember(words).description(""); }

/// A check for a count.
inline CLI::Validator count_check() { return CLI::Range(std::size_t{1}, (std::size_t{1} << 40U) - 1).description(""); }

/// A check for seconds.
inline CLI::Validator seconds_check() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is_time = error == std::errc() && stop == text.data() + text.size() && value >= 0 && value < 1e9;
        return is_time ? std::string() : fmt::format("{} is no number of seconds", text);
      },
      "");
}

/// What stands between signs.
inline std::vector<std::string_view> split(std::string_view text, char sign) {
  std::vector<std::string_view> result;
  for (;;) {
    const std::size_t at = text.find(sign);
    result.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return result;
    text.remove_prefix(at + 1);
  }
}

/// Numbers between commas.
/// @throws CLI::ValidationError naming the option
template <class Number>
std::vector<Number> parse_list(const char* option, const std::string& text, const char* example) {
  std::vector<Number> result;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    Number value{};
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (stop != end && (*stop != ',' || stop + 1 == end))) {
      throw CLI::ValidationError(option, fmt::format("{} is no list of numbers: {}", text, example));
    }
    result.push_back(value);
    at = stop == end ? end : stop + 1;
  }
  return result;
}

/// The library's complaint about an argument in the words of the command line.
inline std::string in_options(const stagecut::argument_error& error) {
  constexpr std::pair<std::string_view, std::string_view> options[] = {{"memory_per_device", "--memory"},
                                                                       {"buffer_fraction", "--memory-buffer"},
                                                                       {"memory.checkpoint", "--checkpoint"},
                                                                       {"parameter_multiplier", "--optimizer"},
                                                                       {"time_weight", "--time-weight"},
                                                                       {"boundary_buffers", "--boundary-buffers"},
                                                                       {"microbatches", "--microbatches"},
                                                                       {"schedule", "--schedule"},
                                                                       {"in_flight", "--in-flight"},
                                                                       {"active", "--in-flight"},
                                                                       {"ranks", "--devices"},
                                                                       {"devices", "--devices"},
                                                                       {"speeds", "--device-speeds"},
                                                                       {"sizes", "--topology"},
                                                                       {"objective", "--objective"},
                                                                       {"chunks", "--chunks"},
                                                                       {"group", "--group"},
                                                                       {"slices", "--slices"},
                                                                       {"latency", "--latency"},
                                                                       {"bandwidth", "--bandwidth"},
                                                                       {"transfers.kind", "--transfers"}};
  const std::string what = error.what();
  const std::size_t equals = what.find(" = ");
  for (const auto& [argument, option] : options) {
    if (!error.argument().starts_with(argument) || equals == std::string::npos) continue;
    return fmt::format("{}{}{}", option, error.argument().substr(argument.size()), what.substr(equals));
  }
  return what;
}
