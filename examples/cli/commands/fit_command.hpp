// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <CLI/CLI.hpp>

#include "commands/fit_guide_command.hpp"
#include "commands/fit_memory_command.hpp"
#include "options/option_checks.hpp"

/// The options of `stagecut fit`.
struct fit_command {
  fit_memory_command memory;
  fit_guide_command guide;
  CLI::App* memory_command = nullptr;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("fit", "Determine the memory of a model from dry runs");
    command->require_subcommand(1);
    memory_command = memory.add(*command);
    guide.add(*command);
    take_help_all(*command);
    return command;
  }

  /// Runs the requested subcommand.
  [[nodiscard]] int run() const { return memory_command->parsed() ? memory.run() : guide.run(); }
};
