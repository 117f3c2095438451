// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "options/did_you_mean.hpp"
#include "options/option_checks.hpp"
#include "output/command_tree.hpp"
#include "output/manual_text.hpp"
#include "output/output.hpp"

/// The options of `stagecut manual`.
struct manual_command {
  std::vector<std::string> names;
  std::string folder;

  /// Registers the options, after those of all other commands.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("manual", "Print the manual page of a command");
    command->add_option("COMMAND", names, "Its name: profile transformer; none: the program")
        ->type_name("")
        ->check(such_as(commands_in(app)));
    command->add_option("--all", folder, "Write all pages into this folder")->type_name("FOLDER");
    refuse_empty(*command);
    return command;
  }

  /// Prints one page, or writes all.
  [[nodiscard]] int run(const command_description& program) const {
    if (!folder.empty()) return write_all(program);
    const std::string name = fmt::format("{}{}{}", program.name(), names.empty() ? "" : " ", fmt::join(names, " "));
    std::vector<std::string> known;
    for (const command_description* const description : all_of(program)) {
      if (description->name() == name) return write(manual_page(*description, program), ""), 0;
      known.push_back(description->name().substr(std::min(description->name().size(), program.name().size() + 1)));
    }
    const std::string called = fmt::format("{}", fmt::join(names, " "));
    throw CLI::ValidationError("COMMAND", fmt::format("{} is no command{}", called, did_you_mean(called, known)));
  }

 private:
  [[nodiscard]] int write_all(const command_description& program) const {
    if (!names.empty()) throw CLI::ValidationError("--all", "goes without the name of a command");
    std::filesystem::create_directories(folder);
    for (const command_description* const description : all_of(program)) {
      write(manual_page(*description, program), fmt::format("{}/{}.1", folder, description->name("-")));
    }
    return 0;
  }
};
