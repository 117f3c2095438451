// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

#include "output/command_tree.hpp"

// Command completion in zsh.

/// A single-quoted text, in which `_arguments` and `_describe` also interpret some characters.
inline std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (character == '\'') {
      result += "'\\''";
      continue;
    }
    if (std::string_view("\\[]:").find(character) != std::string_view::npos) result += '\\';
    result += character;
  }
  return result;
}

/// The values of an option or argument: `:FILE:_files`.
inline std::string zsh_values(const option_description& of) {
  const std::string words = fmt::format("{}", fmt::join(of.known.words, " "));
  const std::string what = of.file                                    ? "_files"
                           : words.empty()                            ? " "
                           : of.known.how == known_values::kind::list ? "_values -s , word " + words
                                                                      : "(" + words + ")";
  return fmt::format(":{}:{}", zsh_text(of.value), what);
}

/// An option in the syntax of `_arguments`; one entry per name.
inline std::string zsh_option(const option_description& option) {
  std::string text;
  for (const std::string& name : option.names) {
    const bool ends = option.value.empty() && (name == "-h" || name.starts_with("--help") || name == "--version");
    text += fmt::format(" \\\n    '{}{}{}[{}]{}'",
                        ends              ? "(- *)"
                        : option.repeated ? "*"
                                          : "",
                        name, option.value.empty() ? "" : "=", zsh_text(option.says),
                        option.value.empty() ? "" : zsh_values(option));
  }
  return text;
}

/// The function of a command.
inline std::string zsh_function(const command_description& command) {
  std::string text = fmt::format("_{}() {{\n", command.name("_"));
  if (!command.commands.empty()) text += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n";
  text += command.commands.empty() ? "  _arguments" : "  _arguments -C";
  for (const option_description& option : command.options) text += zsh_option(option);
  for (const option_description& description : command.arguments) {
    text += fmt::format(" \\\n    '{}{}'",
                        description.repeated   ? "*"
                        : description.required ? ""
                                               : ":",
                        zsh_values(description));
  }
  if (command.commands.empty()) return text + "\n}\n";
  text +=
      " \\\n    '1: :->command' \\\n    '*:: :->words'\n  case $state in\n    command)\n      local -a commands=(\n";
  for (const command_description& description : command.commands) {
    text += fmt::format("        '{}:{}'\n", description.path.back(), zsh_text(description.says));
  }
  text += "      )\n      _describe command commands ;;\n    words)\n      case $words[1] in\n";
  for (const command_description& description : command.commands) {
    text += fmt::format("        {}) _{} ;;\n", description.path.back(), description.name("_"));
  }
  return text + "      esac ;;\n  esac\n}\n";
}

/// The script for zsh: a file `_stagecut` in its `fpath`, or to be sourced.
inline std::string zsh_completion(const command_description& program) {
  std::string text =
      "#compdef stagecut\n# Completes commands and options of stagecut in zsh: written by `stagecut completion zsh`.\n";
  for (const command_description* const description : all_of(program)) text += zsh_function(*description);
  return text + R"(if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _stagecut "$@"
else
  compdef _stagecut stagecut
fi
)";
}
