// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/read_plan_or_profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <string>
#include <variant>

#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "options/table_flags.hpp"
#include "options/target_flags.hpp"
#include "output/computed_text.hpp"
#include "output/file_notes.hpp"
#include "output/output.hpp"
#include "output/plan_formats.hpp"
#include "output/profile_text.hpp"
#include "output/recompute_text.hpp"

/// The options of `stagecut show`.
struct show_command {
  std::string file;
  std::string format = "text";
  std::string output;
  limit_flags input;
  table_flags table;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("show", "Show a plan or a profile, or write it anew");
    command->add_option("FILE", file, "A plan or a profile; - is standard input")->required()->type_name("");
    command->add_option("--format", format, "text, json, or see stagecut formats")
        ->type_name("NAME")
        ->check(format_check());
    command->add_option("--output", output, "Write to this file")->type_name("FILE");
    input.add(*command);
    table.add(*command);
    refuse_empty(*command);
    return command;
  }

  /// Reads the plan, and writes it.
  [[nodiscard]] int run() const {
    using namespace stagecut;
    const std::string source = file == "-" ? "standard input" : file;
    check_output(output, {file});
    const std::string content =
        file == "-" ? io::stream_text(std::cin, source, input.limits) : io::file_text(file, input.limits);
    const io::plan_or_profile read = table.read([&](const io::table_options& options) {
      return io::parse_plan_or_profile(content, source, input.limits, options);
    });
    std::visit([&](const auto& each) { say_file_notes(content, source, each); }, read);
    if (const plan* const made = std::get_if<plan>(&read)) {
      std::string text = formatted(*made, format, screen_of(output));
      if (format == "text" && !made->choices.empty()) text += recompute_text(*made, screen_of(output));
      if (format == "text" && !computed_figures(made->profile).empty()) text += computed_text(made->profile);
      write(text, output);
      if (const std::string large = beyond_device_text(*made); !large.empty()) say(fmt::format("{}: {}", source, large));
      say_settings(*made, format, text);
      for (const std::string& caution : target_flags().cautions(*made, format)) say(caution);
      return 0;
    }
    const auto& model = std::get<profile>(read);
    if (format != "text" && format != "json") {
      throw invalid_input(source, fmt::format("is a profile, and {} is a format of plans: plan it first", format));
    }
    write(format == "json" ? io::as_json(model) + "\n" : profile_text(model), output);
    return 0;
  }
};
