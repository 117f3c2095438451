// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/file.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/json/parse_json.hpp>
#include <stagecut/io/json/transformer_config.hpp>
#include <stagecut/io/tables/csv.hpp>
#include <stagecut/profile/transformer.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <presets.hpp>

#include "commands/plan_command.hpp"
#include "text/output.hpp"
#include "text/profile_text.hpp"
#include "words/limit_words.hpp"

/// The configuration of a preset; empty if there is none of that name.
inline std::string_view preset_text(std::string_view name) {
  const auto* const known = stagecut::find_name(presets, name);
  return known == nullptr ? std::string_view() : known->value;
}

/// What a profile can be written as.
enum class profile_format { json, csv, text, config };
inline constexpr stagecut::word<profile_format> profile_formats[] = {{"json", profile_format::json},
                                                                     {"csv", profile_format::csv},
                                                                     {"text", profile_format::text},
                                                                     {"config", profile_format::config}};

/// The words of `stagecut profile transformer`.
struct profile_command {
  std::string preset;
  std::string config;
  std::vector<std::string> changes;
  std::optional<std::size_t> sequence, microbatch, tensor_parallel, data_parallel, zero;
  std::optional<stagecut::transformer::number> precision;
  std::optional<stagecut::transformer::recomputing> recomputation;
  std::string device = "a100-80gb";
  std::optional<double> flops, bandwidth, efficiency;
  std::string device_memory;
  profile_format format = profile_format::json;
  std::string output;
  limit_words input;

  /// Tells the parser of them.
  CLI::App* add(CLI::App& app) {
    auto* const profile = app.add_subcommand("profile", "Compute a profile from published figures");
    profile->require_subcommand(1);
    auto* const command = profile->add_subcommand("transformer", "Of a transformer: layers, heads, experts ...");
    const auto option = [&](const char* name, auto& into, const char* type, const char* says) {
      return command->add_option(name, into, says)->type_name(type);
    };
    option("--preset", preset, "NAME", "A known model: see stagecut presets")->check(one_of(presets));
    option("--config", config, "FILE", "As --format config prints it");
    option("--set", changes, "KEY=VALUE", "Change one of its figures: layers=12")->allow_extra_args(false);
    option("--sequence", sequence, "N", "Tokens of a sample")->transform(count());
    option("--microbatch", microbatch, "N", "Samples of a microbatch")->transform(count());
    add_choice(*command, "--precision", precision, stagecut::io::precision_words, "NAME", "bf16, fp16 or fp32");
    add_choice(*command, "--recompute", recomputation, stagecut::io::recomputation_words, "HOW",
               "none, selective or full");
    option("--tensor-parallel", tensor_parallel, "T", "Devices that share each layer")->transform(count());
    option("--data-parallel", data_parallel, "D", "Replicas, for --zero")->transform(count());
    option("--zero", zero, "STAGE", "ZeRO's stage, 0 to 3")->transform(count(0));
    option("--device", device, "NAME", "a100-80gb, a100-40gb, h100-80gb, h200-141gb")
        ->check(one_of(stagecut::transformer::devices));
    option("--flops", flops, "X", "Its peak, FLOP/s at the precision")->check(number_check());
    option("--bandwidth", bandwidth, "X", "To its memory, bytes/s")->check(number_check());
    option("--device-memory", device_memory, "SIZE", "Of the device: 80GB");
    option("--efficiency", efficiency, "X", "Of the peak, by matrix products (0.5)")->check(number_check());
    add_choice(*command, "--format", format, profile_formats, "NAME", "json, csv, text; config: figures to edit");
    option("--output", output, "FILE", "Write to this file");
    input.add(*command);
    refuse_empty(*command);
    return profile;
  }

  /// Computes the profile, and writes it.
  int run() const {
    if (preset.empty() == config.empty()) throw CLI::ValidationError("profile", "needs either --preset or --config");
    check_output(output, {config});
    const std::string text = changed(preset.empty() ? stagecut::io::file_text(config, input.limits)
                                                    : std::string(preset_text(preset)));
    stagecut::io::transformer_config from = stagecut::io::read_transformer_config(text, preset.empty() ? config : preset, input.limits);
    if (format == profile_format::config) {
      write(text, output);
      return 0;
    }
    stagecut::transformer::training& r = from.training;
    const auto set = [](const auto& given, auto& into) {
      if (given) into = *given;
    };
    set(sequence, r.sequence);
    set(microbatch, r.microbatch);
    set(tensor_parallel, r.tensor_parallel);
    set(data_parallel, r.data_parallel);
    set(zero, r.zero);
    set(precision, r.precision);
    set(recomputation, r.recomputation);
    if (zero.value_or(0) != 0 && r.data_parallel == 1) {
      throw CLI::ValidationError("--zero", "needs --data-parallel, the replicas that it spreads over");
    }
    const stagecut::transformer::device on = chosen_device(r);
    stagecut::profile made = profiled(from.architecture, r, on);
    made.unknown_fields = nlohmann::ordered_json{{"computed", computed(from, on)}}.dump();
    write(format == profile_format::csv    ? stagecut::io::as_csv(made)
          : format == profile_format::text ? profile_text(made)
                                           : stagecut::io::as_json(made) + "\n",
          output);
    return 0;
  }

 private:
  /// The configuration with what `--set` changes: `KEY=VALUE` or `training.KEY=VALUE`, the value as JSON,
  /// or a word.
  [[nodiscard]] std::string changed(const std::string& text) const {
    if (changes.empty()) return text;
    auto figures = stagecut::io::parse_json(text, preset.empty() ? config : preset, input.limits);
    if (!figures.is_object()) return text;  // to be refused where it is read
    for (const std::string& change : changes) {
      const std::size_t equals = change.find('=');
      if (equals == 0 || equals == std::string::npos) throw CLI::ValidationError("--set", change + " is not KEY=VALUE");
      const std::string value = change.substr(equals + 1);
      const std::size_t dot = change.find('.');
      auto& part = dot < equals ? figures[change.substr(0, dot)] : figures;
      const std::size_t first = dot < equals ? dot + 1 : 0;
      if (!part.is_object() && !part.is_null()) throw CLI::ValidationError("--set", change + " has no such part");
      part[change.substr(first, equals - first)] = figure(change.substr(0, equals), value);
    }
    return figures.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

  /// What a key is set to: JSON, or else a word.
  [[nodiscard]] nlohmann::ordered_json figure(const std::string& key, const std::string& value) const {
    if (!nlohmann::ordered_json::accept(value)) return value;
    try {
      return stagecut::io::parse_json(value, "--set", {.depth = input.limits.depth});
    } catch (const stagecut::invalid_input& error) {
      const auto problem = std::string_view(error.what()).substr(error.place().size() + 2);
      throw CLI::ValidationError("--set", fmt::format("{}: {}", key, problem));
    }
  }

  /// The profile; what is wrong with the training or the device is said of the option that sets it.
  static stagecut::profile profiled(const stagecut::transformer::architecture& of,
                                    const stagecut::transformer::training& how,
                                    const stagecut::transformer::device& on) {
    try {
      return stagecut::transformer::profile(of, how, on);
    } catch (const stagecut::invalid_input& error) {
      const std::string& place = error.place();
      const std::size_t dot = place.find('.');
      if (!place.starts_with("training.") && !place.starts_with("device.")) throw;
      std::string option = "--" + place.substr(dot + 1);
      std::replace(option.begin(), option.end(), '_', '-');
      throw stagecut::invalid_input(option, std::string_view(error.what()).substr(place.size() + 2));
    }
  }

  /// What a profile was computed from, for those who read it later.
  static nlohmann::ordered_json computed(const stagecut::io::transformer_config& from, const stagecut::transformer::device& on) {
    const stagecut::transformer::training& r = from.training;
    return {{"source", from.architecture.source},
            {"sequence", r.sequence != 0 ? r.sequence : from.architecture.sequence},
            {"microbatch", r.microbatch},
            {"precision", stagecut::name_of(stagecut::io::precision_words, r.precision)},
            {"recomputation", stagecut::name_of(stagecut::io::recomputation_words, r.recomputation)},
            {"flash", r.flash},
            {"tensor_parallel", r.tensor_parallel},
            {"data_parallel", r.data_parallel},
            {"zero", r.zero},
            {"device", on.name},
            {"flops", r.precision == stagecut::transformer::number::fp32 ? on.flops_fp32 : on.flops},
            {"bandwidth", on.bandwidth},
            {"memory", on.memory},
            {"efficiency", on.efficiency}};
  }

  [[nodiscard]] stagecut::transformer::device chosen_device(const stagecut::transformer::training& r) const {
    stagecut::transformer::device on = *stagecut::find_name(stagecut::transformer::devices, device);
    if (flops) (r.precision == stagecut::transformer::number::fp32 ? on.flops_fp32 : on.flops) = *flops;
    if (bandwidth) on.bandwidth = *bandwidth;
    if (efficiency) on.efficiency = *efficiency;
    if (!device_memory.empty()) {
      const auto bytes = parse_bytes(device_memory);
      if (!bytes) throw CLI::ValidationError("--device-memory", device_memory + " is no size");
      on.memory = *bytes;
    }
    return on;
  }
};
