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

#include "options/option_checks.hpp"

// The program's commands as its parser knows them: the source of completions and manual pages.

/// The known values of an option.
struct known_values {
  enum class kind { only, among_others, list };  // a list has commas
  kind how = kind::only;
  std::vector<std::string> words;
};

/// An option, or a positional argument.
struct option_description {
  std::vector<std::string> names;  // with dashes; for an argument, the one in the usage
  std::string value;               // its value, as help calls it; empty: none
  std::string says;
  std::string group;
  bool required = false;
  bool repeated = false;
  bool file = false;  // or a folder
  known_values known;

  /// The usage of an argument: `[COMMAND...]`.
  [[nodiscard]] std::string usage() const {
    return fmt::format("{}{}{}{}", required ? "" : "[", names.front(), repeated ? "..." : "", required ? "" : "]");
  }
};

/// A command, with its subcommands.
struct command_description {
  std::vector<std::string> path;  // the words that call it: stagecut, profile, transformer
  std::string says;
  std::string version;  // of the program
  std::vector<option_description> options, arguments;
  std::vector<command_description> commands;
  bool needs_command = false;  // one of its subcommands

  /// The words that call it, joined by a separator.
  [[nodiscard]] std::string name(std::string_view sign = " ") const { return fmt::format("{}", fmt::join(path, sign)); }
};

/// The words in an option's checks: `{a,b}`, `{a,b}...` or `{a,b},...`.
inline known_values known_values_of(CLI::Option& option) {
  known_values result;
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
    result.how = end.empty()     ? known_values::kind::only
                 : end[0] == ',' ? known_values::kind::list
                                 : known_values::kind::among_others;
    for (const std::string_view part : split(std::string_view(name).substr(1, close - 1), ',')) {
      result.words.emplace_back(part);
    }
  }
}

/// Describes an option.
inline option_description description_of(CLI::Option& option) {
  option_description result;
  const bool placed = option.get_positional();
  if (placed) result.names.push_back(option.get_name(true));
  for (const std::string& each : option.get_snames()) result.names.push_back("-" + each);
  for (const std::string& each : option.get_lnames()) result.names.push_back("--" + each);
  if (option.get_items_expected_max() != 0) result.value = placed ? result.names.front() : option.get_type_name();
  result.says = option.get_description();
  result.group = option.get_group();
  result.required = option.get_required();
  result.repeated = option.get_items_expected_max() > 1;
  result.known = known_values_of(option);
  result.file = result.known.words.empty() && (placed || result.value == "FILE" || result.value == "FOLDER");
  return result;
}

/// Describes a command.
/// @param path     the words that call its parent
/// @param version  of the program
inline command_description description_of(CLI::App& command, std::string version, std::vector<std::string> path = {}) {
  command_description result;
  result.path = std::move(path);
  result.path.push_back(command.get_name());
  result.says = command.get_description();
  result.version = std::move(version);
  for (CLI::Option* const option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    (option->get_positional() ? result.arguments : result.options).push_back(description_of(*option));
  }
  result.needs_command = command.get_require_subcommand_min() > 0;
  for (CLI::App* const subcommand : command.get_subcommands({})) {
    result.commands.push_back(description_of(*subcommand, result.version, result.path));
  }
  return result;
}

/// The names of all subcommands.
inline std::vector<std::string> commands_in(CLI::App& command) {
  std::vector<std::string> result;
  for (CLI::App* const subcommand : command.get_subcommands({})) {
    result.push_back(subcommand->get_name());
    for (std::string& inner : commands_in(*subcommand)) result.push_back(std::move(inner));
  }
  return result;
}

/// A command and all its descendants, parents first.
inline std::vector<const command_description*> all_of(const command_description& command) {
  std::vector<const command_description*> result = {&command};
  for (const command_description& description : command.commands) {
    for (const command_description* const inner : all_of(description)) result.push_back(inner);
  }
  return result;
}
std::vector<const command_description*> all_of(command_description&&) = delete;  // would dangle
