// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "output/command_tree.hpp"

// Command completion in fish.

/// A single-quoted text for fish.
inline std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    if (character == '\'' || character == '\\') result += '\\';
    result += character;
  }
  return result + "'";
}

/// The values of an option or argument.
inline std::string fish_values(const option_description& of) {
  if (of.file) return " -r -F";
  if (of.known.words.empty()) return " -x";
  const bool list = of.known.how == known_values::kind::list;
  return fmt::format(" -x -a '{}{}{}'", list ? "(__fish_append , " : "", fmt::join(of.known.words, " "),
                     list ? ")" : "");
}

/// The completions of a command.
inline std::string fish_offers(const command_description& command) {
  std::string text;
  const std::string start = fmt::format("complete -c stagecut -n '__stagecut_at {}'", command.name());
  for (const option_description& option : command.options) {
    text += start;
    for (const std::string& name : option.names) {
      const bool is_long = name.starts_with("--");
      text += fmt::format(" -{} {}", is_long ? 'l' : 's', name.substr(is_long ? 2 : 1));
    }
    text += fmt::format("{} -d {}\n", option.value.empty() ? "" : fish_values(option), fish_quoted(option.says));
  }
  for (const command_description& description : command.commands) {
    text += fmt::format("{} -a {} -d {}\n", start, description.path.back(), fish_quoted(description.says));
  }
  if (!command.arguments.empty()) {
    const option_description& first = command.arguments.front();
    text += first.file ? start + " -F\n" : fmt::format("{} -a '{}'\n", start, fmt::join(first.known.words, " "));
  }
  return text;
}

/// The script for fish.
inline std::string fish_completion(const command_description& program) {
  std::string commands, offers;
  for (const command_description* const description : all_of(program)) {
    if (description != &program) commands += fmt::format(" '{}'", description->name());
    offers += fish_offers(*description);
  }
  return fmt::format(R"(# Completes commands and options of stagecut in fish: written by `stagecut completion fish`.
function __stagecut_at -d 'Whether the words so far call this command of stagecut'
    set -l command stagecut
    for word in (commandline -opc)[2..-1]
        if contains -- "$command $word"{}
            set command "$command $word"
        end
    end
    test "$command" = "$argv"
end
complete -c stagecut -f
{})",
                     commands, offers);
}
