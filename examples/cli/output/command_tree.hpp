// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/words.hpp"

// The program's commands as its parser knows them: the source of completions and manual pages.

/// The known values of an option.
struct known_words {
  enum class kind { only, among_others, list };  // a list has commas
  kind how = kind::only;
  std::vector<std::string> words;
};

/// An option, or a positional argument.
struct told_option {
  std::vector<std::string> names;  // with dashes; for an argument, the one in the usage
  std::string value;               // its value, as help calls it; empty: none
  std::string says;
  std::string group;
  bool required = false;
  bool repeated = false;
  bool file = false;  // or a folder
  known_words known;

  /// The usage of an argument: `[COMMAND...]`.
  [[nodiscard]] std::string usage() const {
    return fmt::format("{}{}{}{}", required ? "" : "[", names.front(), repeated ? "..." : "", required ? "" : "]");
  }
};

/// A command, with its subcommands.
struct told_command {
  std::vector<std::string> path;  // the words that call it: stagecut, profile, transformer
  std::string says;
  std::string version;  // of the program
  std::vector<told_option> options, arguments;
  std::vector<told_command> commands;
  bool needs_command = false;  // one of its subcommands

  /// The words that call it, joined by a separator.
  [[nodiscard]] std::string name(std::string_view sign = " ") const { return fmt::format("{}", fmt::join(path, sign)); }
};

/// The words in an option's checks: `{a,b}`, `{a,b}...` or `{a,b},...`.
inline known_words words_known(CLI::Option& option) {
  known_words result;
  for (int i = 0;; ++i) {
    std::string name;
    try {
      name = option.get_validator(i)->get_name();
    } catch (const CLI::OptionNotFound&) {  // no more options
      return result;
    }
    const std::size_t close = name.find('}');
    if (close == std::string::npos) continue;
    const std::string_view end = std::string_view(name).substr(close + 1);
    result.how = end.empty()     ? known_words::kind::only
                 : end[0] == ',' ? known_words::kind::list
                                 : known_words::kind::among_others;
    for (const std::string_view each : split(std::string_view(name).substr(1, close - 1), ',')) {
      result.words.emplace_back(each);
    }
  }
}

/// Describes an option.
inline told_option told(CLI::Option& option) {
  told_option result;
  const bool placed = option.get_positional();
  if (placed) result.names.push_back(option.get_name(true));
  for (const std::string& each : option.get_snames()) result.names.push_back("-" + each);
  for (const std::string& each : option.get_lnames()) result.names.push_back("--" + each);
  if (option.get_items_expected_max() != 0) result.value = placed ? result.names.front() : option.get_type_name();
  result.says = option.get_description();
  result.group = option.get_group();
  result.required = option.get_required();
  result.repeated = option.get_items_expected_max() > 1;
  result.known = words_known(option);
  result.file = result.known.words.empty() && (placed || result.value == "FILE" || result.value == "FOLDER");
  return result;
}

/// Describes a command.
/// @param path     the words that call its parent
/// @param version  of the program
inline told_command told(CLI::App& command, std::string version, std::vector<std::string> path = {}) {
  told_command result;
  result.path = std::move(path);
  result.path.push_back(command.get_name());
  result.says = command.get_description();
  result.version = std::move(version);
  for (CLI::Option* const each : command.get_options()) {
    if (each->get_group().empty()) continue;  // hidden
    (each->get_positional() ? result.arguments : result.options).push_back(told(*each));
  }
  result.needs_command = command.get_require_subcommand_min() > 0;
  for (CLI::App* const each : command.get_subcommands({})) {
    result.commands.push_back(told(*each, result.version, result.path));
  }
  return result;
}

/// The names of all subcommands.
inline std::vector<std::string> commands_in(CLI::App& command) {
  std::vector<std::string> result;
  for (CLI::App* const each : command.get_subcommands({})) {
    result.push_back(each->get_name());
    for (std::string& inner : commands_in(*each)) result.push_back(std::move(inner));
  }
  return result;
}

/// A command and all its descendants, parents first.
inline std::vector<const told_command*> all_of(const told_command& command) {
  std::vector<const told_command*> result = {&command};
  for (const told_command& each : command.commands) {
    for (const told_command* const inner : all_of(each)) result.push_back(inner);
  }
  return result;
}
std::vector<const told_command*> all_of(told_command&&) = delete;  // would dangle
