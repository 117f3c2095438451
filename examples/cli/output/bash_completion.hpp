// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "output/command_tree.hpp"

// Command completion in bash. The program's words contain no quotes or blanks.

/// The values of an option or argument, as an assignment for the end of the script.
inline std::string bash_values(const option_description& of) {
  if (of.file) return "files=1";
  return fmt::format("{}words='{}'", of.known.how == known_values::kind::list ? "list=1 " : "",
                     fmt::join(of.known.words, " "));
}

/// The case that follows the words to the current command.
inline std::string bash_commands(const command_description& program) {
  std::string text;
  for (const command_description* const description : all_of(program)) {
    if (description != &program) text += fmt::format("{}'{}'", text.empty() ? "" : " | ", description->name());
  }
  return text;
}

/// The case for the value of an option; some values are unknown.
inline std::string bash_option_values(const command_description& program) {
  std::string text, others;
  for (const command_description* const command : all_of(program)) {
    for (const option_description& option : command->options) {
      const bool unknown = !option.file && option.known.words.empty();
      std::string names;
      for (const std::string& name : option.names) {
        names += fmt::format("{}'{} {}'", names.empty() ? "" : " | ", command->name(), name);
      }
      if (option.value.empty()) continue;
      if (unknown) {
        others += fmt::format("{}{}", others.empty() ? "" : " | \\\n      ", names);
      } else {
        text += fmt::format("    {}) {} ;;\n", names, bash_values(option));
      }
    }
  }
  return fmt::format("{}    {}) ;;\n", text, others);
}

/// The case for the completions of a command: its options, and commands or arguments.
inline std::string bash_offers(const command_description& program) {
  std::string text;
  for (const command_description* const command : all_of(program)) {
    std::string options;
    for (const option_description& option : command->options)
      options += fmt::format(" {}", fmt::join(option.names, " "));
    text += fmt::format("      '{}') options='{}'", command->name(), options.substr(options.empty() ? 0 : 1));
    if (!command->commands.empty()) {
      text += " words='";
      for (const command_description& description : command->commands) {
        text += fmt::format("{}{}", &description == &command->commands.front() ? "" : " ", description.path.back());
      }
      text += "'";
    } else if (!command->arguments.empty()) {
      text += " " + bash_values(command->arguments.front());
    }
    text += " ;;\n";
  }
  return text;
}

/// The script for bash.
inline std::string bash_completion(const command_description& program) {
  return fmt::format(R"(# Completes commands and options of stagecut in bash: written by `stagecut completion bash`.
_stagecut() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=stagecut
  local i first= known=1 files= list= words= options=
  if [[ $current == = ]]; then  # --format=, of which bash makes two words
    current=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {}) command+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$command $before" in
{}    *) known= ;;
  esac
  if [[ ! $known ]]; then
    case $command in
{}    esac
    if [[ $current == -* ]]; then
      words=$options files=
    fi
  fi
  if [[ $list && $current == *,* ]]; then
    first=${{current%,*}},
  fi
  COMPREPLY=()
  if [[ $files ]]; then
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -P "$first" -- "${{current#"$first"}}")
  fi
}}
complete -F _stagecut stagecut
)",
                     bash_commands(program), bash_option_values(program), bash_offers(program));
}
