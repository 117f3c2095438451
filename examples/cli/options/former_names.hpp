// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Options and their values under the names that they had before 0.2, which are read until 0.3.

/// An option by its former and its present name.
struct renamed_option {
  std::string_view former, now;
  bool stays = false;  ///< whether the former name is a short form that is read for good, without a line
};
inline constexpr renamed_option renamed_options[] = {{"--chunks", "--stages-per-rank"},
                                                     {"--empty-chunks", "--empty-stages"},
                                                     {"--order", "--schedule-file"},
                                                     {"--vpp", "--stages-per-rank", true}};

/// A value of an option by its former and its present name.
struct renamed_value {
  std::string_view option, former, now;
};
inline constexpr renamed_value renamed_values[] = {{"--objective", "pipeline-length", "pipeline-latency"}};

/// The subcommand that a word calls; null: none.
inline const CLI::App* subcommand_called(const CLI::App& command, std::string_view word) {
  for (const CLI::App* const subcommand : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (subcommand->get_name() == word) return subcommand;
  }
  return nullptr;
}

/// Replaces the former names of options and of their values in a command line. Only options that the command has are
/// replaced, and nothing behind `--`.
///
/// @param app    knows all commands
/// @param words  as given, without the program's name
/// @return       a line for every name that was replaced, once
inline std::vector<std::string> replace_former_names(const CLI::App& app, std::vector<std::string>& words) {
  std::vector<std::string> lines;
  const auto note = [&](std::string_view option, std::string_view former, std::string_view now) {
    std::string line = fmt::format("{}{} is now {}: it is read until 0.3", option, former, now);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  };
  const CLI::App* command = &app;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (const CLI::App* const inner = subcommand_called(*command, words[i])) {
      command = inner;
      continue;
    }
    const std::size_t end = std::min(words[i].find('='), words[i].size());
    const std::string name = words[i].substr(0, end);
    for (const auto& [former, now, stays] : renamed_options) {
      if (name != former || command->get_option_no_throw(std::string(now)) == nullptr) continue;
      words[i].replace(0, end, now);
      if (!stays) note("", former, now);
    }
    for (const auto& [option, former, now] : renamed_values) {
      if (name != option) continue;
      const bool apart = end == words[i].size();
      if (apart && i + 1 == words.size()) continue;
      std::string& of = apart ? words[i + 1] : words[i];
      const std::size_t first = apart ? 0 : end + 1;
      if (std::string_view(of).substr(first) != former) continue;
      of.replace(first, std::string::npos, now);
      note(fmt::format("{} ", option), former, now);
    }
  }
  return lines;
}
