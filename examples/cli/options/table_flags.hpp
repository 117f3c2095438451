// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/table_options.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "output/output.hpp"

/// Options for reading tables of layers.
struct table_flags {
  stagecut::io::table_options options{};
  CLI::Option* option = nullptr;

  void add(CLI::App& command) {
    option =
        command.add_option("--parameter-bytes", options.bytes_per_parameter, "Of a CSV that counts parameters (2)");
    option->type_name("X")
        ->group(rare_options)
        ->check(CLI::Validator(
            [](const std::string& text) {
              const auto value = parse_number(text);
              return value && *value > 0 ? std::string() : fmt::format("{} is no number above 0", shown(text));
            },
            ""));
  }

  /// Rejects table options if the file is a model's configuration.
  void refuse(const std::string& file) const {
    if (option->count() == 0) return;
    throw CLI::ValidationError(option->get_name(), fmt::format("is of a CSV, and {} is a config.json", file));
  }

  /// Returns `read(OPTIONS)`; prints its assumptions.
  template <class Read>
  auto read(const Read& read_with) const {
    std::vector<std::string> notes;
    stagecut::io::table_options noted = options;
    noted.notes = &notes;
    auto result = read_with(noted);
    for (const std::string& note : notes) say(note);
    return result;
  }
};
