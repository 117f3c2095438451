// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/words.hpp>

#include <CLI/CLI.hpp>

#include <string>

#include "text/bash_completion.hpp"
#include "text/command_tree.hpp"
#include "text/fish_completion.hpp"
#include "text/output.hpp"
#include "text/zsh_completion.hpp"
#include "words/words.hpp"

/// The supported shells, and the writers of their scripts.
inline constexpr stagecut::word<std::string (*)(const told_command&)> completion_shells[] = {
    {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

/// The options of `stagecut completion`.
struct completion_command {
  std::string shell;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("completion", "Print what completes these words in a shell");
    command->add_option("SHELL", shell, "Which shell")->required()->type_name("")->check(one_of(completion_shells));
    refuse_empty(*command);
    return command;
  }

  /// Prints the script.
  [[nodiscard]] int run(const told_command& program) const {
    write(stagecut::find_name(completion_shells, shell)->value(program), "");
    return 0;
  }
};
