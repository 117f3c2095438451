// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/optimizer.hpp>
#include <stagecut/profile/training_memory.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "words/did_you_mean.hpp"
#include "words/quantity.hpp"
#include "words/words.hpp"

/// What memory devices have and training needs, as it is said to `plan`.
struct memory_words {
  std::string limit;
  std::string optimizer;
  stagecut::checkpointing checkpoint = stagecut::checkpointing::never;
  std::optional<double> buffer, boundary_buffers;

  void add(CLI::App& command) {
    add_without_checkpoint(command);
    add_choice(command, "--checkpoint", checkpoint, stagecut::checkpointing_words, "MODE",
               "never (the default), except_last, always")
        ->group(rare_options);
  }

  /// Likewise, where it is said in another way what is computed again.
  void add_without_checkpoint(CLI::App& command) {
    command.add_option("--memory", limit, "Limit of a device: 80GiB, or of each: 24GB,16GB")->type_name("SIZE");
    command.add_option("--optimizer", optimizer, "adam ..., or bytes per byte of parameters")
        ->type_name("NAME|X")
        ->check(such_as(names_of(stagecut::optimizers)));
  }

  /// What is seldom needed.
  void add_rare(CLI::App& command) {
    const auto option = [&](const char* name, auto& into, const char* says) {
      command.add_option(name, into, says)->type_name("X")->group(rare_options)->check(number_check());
    };
    option("--memory-buffer", buffer, "Fraction of --memory to keep free");
    option("--boundary-buffers", boundary_buffers, "Per tensor at a stage's ends (2)");
  }

  /// Fills a request.
  void ask(stagecut::plan_request& request) const {
    request.memory.checkpoint = checkpoint;
    request.memory.boundary_buffers = boundary_buffers.value_or(request.memory.boundary_buffers);
    request.buffer_fraction = buffer.value_or(0);
    if (!limit.empty()) ask_limit(request);
    if (request.buffer_fraction != 0 && limit.empty()) throw CLI::ValidationError("--memory-buffer", "needs --memory");
    ask_optimizer(request);
  }

 private:
  /// One size for all devices, or one of each.
  void ask_limit(stagecut::plan_request& request) const {
    std::vector<double> bytes;
    for (const std::string_view each : split(limit, ',')) {
      const auto size = parse_bytes(each);
      if (!size) {
        throw CLI::ValidationError("--memory", fmt::format("{} is no size: bytes, or 80GB, 80GiB, 1.5TiB", each));
      }
      const std::string question = unit_question(each);
      if (!question.empty()) throw CLI::ValidationError("--memory", question);
      bytes.push_back(*size);
    }
    if (bytes.size() == 1) {
      request.memory_per_device = bytes[0];
    } else {
      request.memory_of_devices = std::move(bytes);
    }
  }

  /// The optimizer by its name or its multiplier; unsaid, what the profile says, or else Adam.
  void ask_optimizer(stagecut::plan_request& request) const {
    if (optimizer.empty()) return;
    request.optimizer = optimizer;
    request.memory.use_resident = false;
    const auto* const known = stagecut::find_optimizer(optimizer);
    if (known != nullptr) {
      request.memory.parameter_multiplier = known->multiplier;
      return;
    }
    if (const auto multiplier = parse_number(optimizer)) {
      request.memory.parameter_multiplier = *multiplier;
      return;
    }
    throw CLI::ValidationError("--optimizer", fmt::format("{} is neither a number nor one of {}{}", optimizer,
                                                          stagecut::list_names(stagecut::optimizers),
                                                          did_you_mean(optimizer, names_of(stagecut::optimizers))));
  }
};
