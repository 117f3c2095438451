// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <CLI/CLI.hpp>

#include "commands/fit_guide_command.hpp"
#include "commands/fit_memory_command.hpp"
#include "commands/fit_times_command.hpp"
#include "options/option_checks.hpp"

/// The options of `stagecut fit`.
struct fit_command {
  fit_memory_command memory;
  fit_guide_command guide;
  fit_times_command times;
  CLI::App* memory_command = nullptr;
  CLI::App* times_command = nullptr;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("fit", "Determine memory and times of layers from runs");
    command->require_subcommand(1);
    memory_command = memory.add(*command);
    guide.add(*command);
    times_command = times.add(*command);
    take_help_all(*command);
    return command;
  }

  /// Runs the requested subcommand.
  [[nodiscard]] int run() const {
    if (times_command->parsed()) return times.run();
    return memory_command->parsed() ? memory.run() : guide.run();
  }
};
