// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/read_limits.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>

#include "options/option_checks.hpp"
#include "options/quantity.hpp"

/// Limits on a command's input, as options.
struct limit_flags {
  stagecut::io::read_limits limits{};

  void add(CLI::App& command) {
    if (command.get_help_all_ptr() == nullptr) {
      command.set_help_all_flag("--help-all", "Print those that are seldom needed, too");
    }
    command
        .add_option_function<std::string>(
            "--input-limit",
            [this](const std::string& text) {
              const auto bytes = parse_bytes(text);
              if (!bytes || *bytes > 9e15) throw CLI::ValidationError("--input-limit", no_size(text));
              limits.bytes = static_cast<std::size_t>(*bytes);
            },
            "Read no more of a file than that (1GiB)")
        ->type_name("SIZE")
        ->group(rare_options);
    command.add_option("--input-depth", limits.depth, "JSON may be nested so deep (64), up to 1000")
        ->type_name("N")
        ->group(rare_options)
        ->transform(count(1, 1000));
  }
};
