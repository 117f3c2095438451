// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <stdexcept>

#include "options/option_checks.hpp"
#include "search/search_system.hpp"

/// The system for mass simulation of cuts, as an option.
struct backend_flags {
  search_system where = search_system::off;

  void add(CLI::App& command) {
    add_choice(command, "--search", where, search_system_names, "WHERE",
               "Simulate cuts in mass: cpu, gpu, off (the default)")
        ->group(rare_options);
  }

  /// The helpers; null for `off`.
  [[nodiscard]] std::unique_ptr<search_helpers> ask() const {
    try {
      return make_search_helpers(where);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError("--search", error.what());
    }
  }
};
