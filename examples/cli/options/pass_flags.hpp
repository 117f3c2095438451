// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/simulation.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "options/option_checks.hpp"

/// The times of passes as options: lists by stage, or one time for all.
struct pass_flags {
  std::string forward, backward, backward_input, backward_weight;

  /// @param says  description of the requirements
  void add(CLI::App& command, const char* says) {
    const auto option = [&](const char* name, std::string& into, const char* what) {
      command.add_option(name, into, what)->type_name("LIST");
    };
    option("--forward", forward, says);
    option("--backward", backward, "Backward times");
    option("--backward-input", backward_input, "Or apart: of the gradients of inputs");
    option("--backward-weight", backward_weight, "And of weights");
  }

  /// The given lists.
  /// @param stages  set to the length of the longest
  [[nodiscard]] stagecut::pass_times<double> read(std::size_t& stages) const {
    stagecut::pass_times<double> times;
    const auto list = [&](const char* name, const std::string& text, std::vector<double>& into) {
      into = parse_list<double>(name, text, "8,14,18,20");
      stages = std::max(stages, into.size());
    };
    list("--forward", forward, times.forward);
    list("--backward", backward, times.backward);
    list("--backward-input", backward_input, times.backward_input);
    list("--backward-weight", backward_weight, times.backward_weight);
    if (backward_input.empty() != backward_weight.empty()) {
      throw CLI::ValidationError(
          backward_input.empty() ? "--backward-input" : "--backward-weight",
          backward_input.empty() ? "is needed with --backward-weight" : "is needed with --backward-input");
    }
    if (backward.empty() && backward_input.empty()) {
      throw CLI::ValidationError("--backward", "is needed, or --backward-input and --backward-weight");
    }
    return times;
  }

  /// Uses one time for all stages.
  static void spread(stagecut::pass_times<double>& times, std::size_t stages) {
    for (auto* list : {&times.forward, &times.backward, &times.backward_input, &times.backward_weight}) {
      if (list->size() == 1) list->assign(stages, list->front());
    }
  }
};
