// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "options/did_you_mean.hpp"
#include "output/screen.hpp"

/// The options of a command as written, with their dashes.
inline std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// The error for the first unknown option or command, and the command for help on known ones; empty if all are known.
/// Checks only options and commands: a word that begins with a dash is not a value, unless it is a number.
///
/// @param app    knows all commands
/// @param words  as given, without the program's name
inline std::string unknown_argument(const CLI::App& app, const std::vector<std::string_view>& words) {
  const CLI::App* command = &app;
  std::string called, help = "stagecut";
  const auto whose = [&] { return called.empty() ? std::string("its") : called + "'s"; };
  for (const std::string_view word : words) {
    if (word == "--") break;
    if (word.size() > 1 && word[0] == '-') {
      if (std::string_view(".0123456789").find(word[1]) != std::string_view::npos) continue;
      const std::string name(word.substr(0, word.find('=')));
      const auto known = option_names(*command);
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return fmt::format("{} is none of {} options{} (see {} --help{})", shown(name), whose(),
                         did_you_mean(name, known), help, command->get_help_all_ptr() == nullptr ? "" : "-all");
    }
    std::vector<std::string> inner;
    const CLI::App* next = nullptr;
    for (const CLI::App* const subcommand : command->get_subcommands([](const CLI::App*) { return true; })) {
      inner.push_back(subcommand->get_name());
      if (subcommand->get_name() == word) next = subcommand;
    }
    if (inner.empty()) continue;
    if (next == nullptr) {
      return fmt::format("{} is none of {} commands{} (see {} --help)", shown(word), whose(), did_you_mean(word, inner),
                         help);
    }
    command = next;
    called += fmt::format("{}{}", called.empty() ? "" : " ", word);
    help += fmt::format(" {}", word);
  }
  return "";
}
