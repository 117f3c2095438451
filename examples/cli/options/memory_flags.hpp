// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/optimizer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/device_memory.hpp"
#include "options/did_you_mean.hpp"
#include "options/option_checks.hpp"
#include "options/quantity.hpp"

/// The memory of devices and of training, as options of `plan`.
struct memory_flags {
  std::string limit;
  std::string optimizer;
  stagecut::checkpointing checkpoint = stagecut::checkpointing::never;
  std::optional<double> buffer, boundary_buffers;
  std::string constant;
  std::string reserve;

  void add(CLI::App& command) {
    add_without_checkpoint(command);
    add_choice(command, "--checkpoint", checkpoint, stagecut::checkpointing_names, "MODE",
               "never (the default), except_last, always")
        ->group(rare_options);
  }

  /// The same, if recomputation is specified by other options.
  void add_without_checkpoint(CLI::App& command) {
    command.add_option("--memory", limit, "Limit of a device: 80GiB; each: 24GB,16GB; or none")->type_name("SIZE");
    command.add_option("--optimizer", optimizer, "adam ..., or bytes per byte of parameters")
        ->type_name("NAME|X")
        ->check(such_as(names_of(stagecut::optimizers)));
  }

  /// Rare options.
  void add_rare(CLI::App& command) {
    const auto option = [&](const char* name, auto& into, const char* says) {
      command.add_option(name, into, says)->type_name("X")->group(rare_options)->check(number_check());
    };
    option("--memory-buffer", buffer, "Fraction of the memory to keep free");
    option("--boundary-buffers", boundary_buffers, "Per tensor at a stage's ends (2)");
    command.add_option("--memory-constant", constant, "Of a device, without layers (as in the profile)")
        ->type_name("SIZE")
        ->group(rare_options);
    command.add_option("--memory-reserve", reserve, "Kept free of a device, without --memory (4GiB)")
        ->type_name("SIZE")
        ->group(rare_options);
  }

  /// Whether a plan has no memory limit, not even the device's.
  [[nodiscard]] bool is_unlimited() const { return limit == "none"; }

  /// Bytes per device in addition to its layers: as given, or from the profile. Below 0 if a fit gave that.
  [[nodiscard]] double constant_of(const stagecut::profile& model) const {
    return constant.empty() ? constant_in(model) : size("--memory-constant", constant);
  }

  /// Uses the device's memory, less the reserve, as the default limit; `none` removes the profile's limit. A given
  /// buffer, or the profile's own constant, replaces the reserve.
  /// @return  the message to print; may be empty
  [[nodiscard]] std::string ask_device(stagecut::profile& model, stagecut::plan_request& request) const {
    if (is_unlimited()) model.machine.memory.reset();
    if (!limit.empty()) return "";
    const bool reserved = buffer || !constant.empty() || constant_in(model) != 0;
    const double kept = !reserve.empty() ? size("--memory-reserve", reserve) : reserved ? 0 : usual_reserve;
    try {
      const std::string message = limit_to_device(model, kept, request);
      const bool limits = request.memory_limit.for_all() || model.machine.memory;
      if (buffer && !limits) throw CLI::ValidationError("--memory-buffer", "needs --memory");
      if (!constant.empty() && !limits) throw CLI::ValidationError("--memory-constant", "needs --memory");
      if (!reserve.empty() && message.empty()) {
        throw CLI::ValidationError("--memory-reserve",
                                   "is for a device whose memory is known: --memory sets the limit itself");
      }
      return message;
    } catch (const std::invalid_argument& error) {
      if (reserve.empty()) {
        throw CLI::ValidationError(
            "--memory", fmt::format("is missing: the usual {}: give it, or a smaller --memory-reserve", error.what()));
      }
      throw CLI::ValidationError("--memory-reserve", error.what());
    }
  }

  /// Subtracts the constant from the memory for layers.
  /// @return  the message to print; may be empty
  [[nodiscard]] std::string ask_constant(const stagecut::profile& model, stagecut::plan_request& request) const {
    const double bytes = constant_of(model);
    if (bytes == 0 || !request.memory_limit) return "";
    const double kept = request.buffer_fraction < 1 ? bytes / (1 - request.buffer_fraction) : bytes;
    const auto less = [&](double& memory) {
      if (memory <= kept) {
        throw CLI::ValidationError("--memory", fmt::format("{} is no more than the constant of a device, {}",
                                                           bytes_text(memory), bytes_text(kept)));
      }
      memory -= kept;
    };
    std::vector<double> limits = request.memory_limit.values();
    for (double& each : limits) less(each);
    request.memory_limit = limits;
    const char* const how = bytes < 0 ? "more" : "less";
    return fmt::format("--memory: layers have {} {} of a device, by {}", bytes_text(bytes < 0 ? -bytes : bytes), how,
                       constant.empty() ? "the constant in the profile" : "--memory-constant");
  }

  /// The constant in a profile.
  [[nodiscard]] static double constant_in(const stagecut::profile& model) {
    const auto others = nlohmann::json::parse(model.unknown_fields, nullptr, false);
    if (!others.is_object()) return 0;
    const auto found = others.find("memory_constant");
    return found != others.end() && found->is_number() ? found->get<double>() : 0;
  }

  /// Fills a request.
  void ask(stagecut::plan_request& request) const {
    request.memory_accounting.checkpoint = checkpoint;
    request.memory_accounting.boundary_buffers = boundary_buffers.value_or(request.memory_accounting.boundary_buffers);
    request.buffer_fraction = buffer.value_or(0);
    if (!limit.empty() && !is_unlimited()) ask_limit(request);
    for (const auto& [option, given] : {std::pair("--memory-buffer", buffer.has_value()),
                                        {"--memory-constant", !constant.empty()},
                                        {"--memory-reserve", !reserve.empty()}}) {
      if (given && is_unlimited()) throw CLI::ValidationError(option, "does not go with --memory none");
    }
    if (!reserve.empty() && !limit.empty()) {
      throw CLI::ValidationError("--memory-reserve", "does not go with --memory, which sets the limit itself");
    }
    ask_optimizer(request);
  }

 private:
  /// Parses a size, and rejects one that lacks a unit.
  static double size(const char* option, const std::string& text) {
    const auto bytes = parse_bytes(text);
    if (!bytes) throw CLI::ValidationError(option, no_size(text));
    const std::string question = unit_question(text);
    if (!question.empty()) throw CLI::ValidationError(option, question);
    return *bytes;
  }

  /// One size for all devices, or one per device.
  void ask_limit(stagecut::plan_request& request) const {
    std::vector<double> bytes;
    for (const std::string_view each : split(limit, ',')) bytes.push_back(size("--memory", std::string(each)));
    if (bytes.size() == 1) {
      request.memory_limit = bytes[0];
    } else {
      request.memory_limit = std::move(bytes);
    }
  }

  /// The optimizer by name or multiplier; default: the profile's, or else Adam.
  void ask_optimizer(stagecut::plan_request& request) const {
    if (optimizer.empty()) return;
    request.optimizer = optimizer;
    request.memory_accounting.use_resident = false;
    const auto* const known = stagecut::find_optimizer(optimizer);
    if (known != nullptr) {
      request.memory_accounting.parameter_multiplier = known->multiplier;
      return;
    }
    if (const auto multiplier = parse_number(optimizer)) {
      request.memory_accounting.parameter_multiplier = *multiplier;
      return;
    }
    throw CLI::ValidationError("--optimizer", fmt::format("{} is neither a number nor one of {}{}", optimizer,
                                                          stagecut::list_names(stagecut::optimizers),
                                                          did_you_mean(optimizer, names_of(stagecut::optimizers))));
  }
};
