// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>

#include <CLI/CLI.hpp>

#include <string>

#include "options/option_checks.hpp"
#include "output/bash_completion.hpp"
#include "output/command_tree.hpp"
#include "output/fish_completion.hpp"
#include "output/output.hpp"
#include "output/zsh_completion.hpp"

/// The supported shells, and the writers of their scripts.
inline constexpr stagecut::named<std::string (*)(const command_description&)> completion_shells[] = {
    {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

/// The options of `stagecut completion`.
struct completion_command {
  std::string shell;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("completion", "Print the completion script of a shell");
    command->add_option("SHELL", shell, "Which shell")->required()->type_name("")->check(one_of(completion_shells));
    refuse_empty(*command);
    return command;
  }

  /// Prints the script.
  [[nodiscard]] int run(const command_description& program) const {
    write(stagecut::find_name(completion_shells, shell)->value(program), "");
    return 0;
  }
};
