// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/fit_efficiencies.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/json/measured_file.hpp>
#include <stagecut/io/json/parse_json.hpp>
#include <stagecut/io/json/transformer_config.hpp>
#include <stagecut/io/tables/csv.hpp>
#include <stagecut/profile/transformer.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <presets.hpp>

#include "commands/calibration.hpp"
#include "commands/plan_command.hpp"
#include "output/basis_text.hpp"
#include "output/computed_text.hpp"
#include "output/output.hpp"
#include "output/profile_text.hpp"
#include "output/term_text.hpp"
#include "options/limit_flags.hpp"
#include "options/transformer_flags.hpp"

/// The configuration of a preset; empty for an unknown name.
inline std::string_view preset_text(std::string_view name) {
  const auto* const known = stagecut::find_name(presets, name);
  return known == nullptr ? std::string_view() : known->value;
}

/// The output formats of a profile.
enum class profile_format { json, csv, text, config };
inline constexpr stagecut::named<profile_format> profile_formats[] = {{"json", profile_format::json},
                                                                     {"csv", profile_format::csv},
                                                                     {"text", profile_format::text},
                                                                     {"config", profile_format::config}};

/// The options of `stagecut profile transformer`.
struct profile_command {
  std::string preset;
  std::string config;
  std::vector<std::string> changes;
  transformer_flags model;
  std::optional<double> gemm, bandwidth, efficiency, network_efficiency;
  std::string device_memory;
  std::string explained;
  std::string calibration;
  std::string fitted;
  profile_format format = profile_format::json;
  CLI::Option* format_option = nullptr;
  std::string output;
  limit_flags input;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const profile = app.add_subcommand("profile", "Compute a profile from published figures");
    profile->require_subcommand(1);
    take_help_all(*profile);
    auto* const command = profile->add_subcommand("transformer", "Of a transformer: layers, heads, experts ...");
    const auto option = [&](const char* name, auto& into, const char* type, const char* says) {
      return command->add_option(name, into, says)->type_name(type);
    };
    option("--preset", preset, "NAME", "A known model: see stagecut presets")->check(one_of(presets));
    option("--config", config, "FILE", "Hugging Face's config.json, or our own");
    option("--set", changes, "KEY=VALUE", "Change figures of it: layers=12");
    model.add(*command, false);
    const auto rare = [&](const char* name, auto& into, const char* type, const char* says) {
      return option(name, into, type, says)->group(rare_options);
    };
    rare("--gemm", gemm, "X", "Of the device, its best matrix product, FLOP/s")->check(number_check());
    rare("--memory-bandwidth", bandwidth, "X", "To its memory, bytes/s")->check(number_check());
    rare("--device-memory", device_memory, "SIZE", "Of the device: 80GB");
    rare("--efficiency", efficiency, "X", "Of the best product, reached (0.87)")->check(number_check());
    rare("--network-efficiency", network_efficiency, "X", "Of links and networks")->check(number_check());
    option("--calibrate", calibration, "FILE", "Fit constants to what was measured");
    rare("--fit-constants", fitted, "NAMES", "Of --calibrate: gemm,network,launch ..");
    option("--explain", explained, "LAYER", "Print the terms of a layer's times");
    format_option = add_choice(*command, "--format", format, profile_formats, "NAME", "json, csv, text; config: figures to edit");
    option("--output", output, "FILE", "Write to this file");
    input.add(*command);
    refuse_empty(*command);
    return profile;
  }

  /// Computes the profile, and writes it.
  int run() const {
    if (preset.empty() == config.empty())
      throw CLI::ValidationError("profile", "needs --preset or --config, one of both");
    if (!preset.empty() && !model.as.empty()) throw CLI::ValidationError("--as", "goes with a config.json");
    if (model.inference && format == profile_format::csv) {
      throw CLI::ValidationError("--format", "csv has no column for inference: json has");
    }
    if (model.variants && format == profile_format::csv)
      throw CLI::ValidationError("--format", "csv has no columns for several recomputations: json has");
    if (model.variants && !calibration.empty())
      throw CLI::ValidationError("--calibrate", "does not go with --recompute auto: what was measured is of one");
    if (!explained.empty() && format != profile_format::text && format_option->count() != 0)
      throw CLI::ValidationError("--format", "goes without --explain, which prints text");
    if (!fitted.empty() && calibration.empty()) throw CLI::ValidationError("--fit-constants", "goes with --calibrate");
    check_output(output, {config, calibration});
    stagecut::io::transformer_config from = read();
    model.check_weights(from, source());
    model.ask(from);
    if (format == profile_format::config) {
      if (model.inference)
        throw CLI::ValidationError("--inference", "is no part of the figures that --format config prints");
      write(stagecut::io::as_json(from) + "\n", output);
      return 0;
    }
    std::string name;
    stagecut::transformer::device on = chosen_device(name);
    stagecut::transformer::efficiencies reached = asked_efficiencies();
    model.take_shares(on, reached);
    stagecut::io::measured_file measured;
    calibration_result fit;
    if (!calibration.empty()) {
      if (model.inference) throw CLI::ValidationError("--calibrate", "is for training, not for --inference");
      measured =
          stagecut::io::read_measured(stagecut::io::file_text(calibration, input.limits), calibration, input.limits);
      fit_shares(on, reached);
      fit = calibrated(from, on, reached, measured);
      reached = fit.reached;
    }
    stagecut::profile made = model.profiled(from, on, reached);
    if (!calibration.empty()) stagecut::take_measured(made, measured.layers);
    nlohmann::ordered_json figures = model.computed(from, on, name, reached);
    if (!measured.layers.empty()) figures["measured"] = true;
    if (!calibration.empty()) figures["fit_error"] = fit.worst;
    made.unknown_fields = nlohmann::ordered_json{{"computed", std::move(figures)}}.dump();
    write(shown_profile(from, made, on, reached), output);
    return 0;
  }

 private:
  /// The profile in the requested format, or the terms of a layer.
  [[nodiscard]] std::string shown_profile(const stagecut::io::transformer_config& from, const stagecut::profile& made,
                                          const stagecut::transformer::device& on,
                                          const stagecut::transformer::efficiencies& reached) const {
    if (!explained.empty()) return explanation(from, made, on, reached);
    return format == profile_format::csv    ? stagecut::io::as_csv(made)
           : format == profile_format::text ? summary(from, made, on, reached)
                                            : stagecut::io::as_json(made) + "\n";
  }

  [[nodiscard]] std::string source() const { return preset.empty() ? config : preset; }

  /// The configuration with the changes of `--set`. For config.json, changes the derived figures.
  [[nodiscard]] stagecut::io::transformer_config read() const {
    using namespace stagecut::io;
    const std::string text = preset.empty() ? file_text(config, input.limits) : std::string(preset_text(preset));
    const transformer_config first = model.read(text, source(), input.limits);
    if (changes.empty()) return first;
    return read_transformer_config(changed(as_json(first)), source(), input.limits);
  }

  /// A configuration with the changes of `--set`: `KEY=VALUE` or `training.KEY=VALUE`, the value as JSON, or a word.
  [[nodiscard]] std::string changed(const std::string& text) const {
    auto figures = stagecut::io::parse_json(text, source(), input.limits);
    for (const std::string& change : changes) {
      const std::size_t equals = change.find('=');
      if (equals == 0 || equals == std::string::npos) throw CLI::ValidationError("--set", change + " is not KEY=VALUE");
      const std::string value = change.substr(equals + 1);
      const std::size_t dot = change.find('.');
      auto& part = dot < equals ? figures[change.substr(0, dot)] : figures;
      const std::size_t first = dot < equals ? dot + 1 : 0;
      if (!part.is_object() && !part.is_null()) throw CLI::ValidationError("--set", change + " has no such part");
      // Hugging Face's names would make the whole file one of theirs.
      if (stagecut::io::is_transformer_config(
              fmt::format("{{{}: 1}}", nlohmann::json(change.substr(0, equals)).dump()))) {
        throw CLI::ValidationError("--set", fmt::format("{} is no name of a figure: --format config prints them",
                                                        shown(change.substr(0, equals))));
      }
      part[change.substr(first, equals - first)] = figure(change.substr(0, equals), value);
    }
    return figures.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

  /// The value of a key: JSON, or else a word.
  [[nodiscard]] nlohmann::ordered_json figure(const std::string& key, const std::string& value) const {
    if (!nlohmann::ordered_json::accept(value)) return value;
    try {
      return stagecut::io::parse_json(value, "--set", {.depth = input.limits.depth});
    } catch (const stagecut::invalid_input& error) {
      const auto problem = std::string_view(error.what()).substr(error.place().size() + 2);
      throw CLI::ValidationError("--set", fmt::format("{}: {}", key, problem));
    }
  }

  [[nodiscard]] stagecut::transformer::device chosen_device(std::string& name) const {
    stagecut::transformer::device on = model.chosen_device(name, input.limits);
    if (network_efficiency) on.sustained_link = 0;
    model.check_units("--gemm", "", {.gemm = gemm.value_or(0)});
    model.check_units("--memory-bandwidth", "", {.bandwidth = bandwidth.value_or(0)});
    if (gemm) on.gemm = *gemm, on.sustained = 0;
    if (bandwidth) on.bandwidth = *bandwidth, on.sustained_bandwidth = 0;
    if (!device_memory.empty()) {
      const auto bytes = parse_bytes(device_memory);
      if (!bytes) throw CLI::ValidationError("--device-memory", no_size(device_memory));
      const std::string question = unit_question(device_memory);
      if (!question.empty()) throw CLI::ValidationError("--device-memory", question);
      on.memory = *bytes;
    }
    return on;
  }

  [[nodiscard]] stagecut::transformer::efficiencies asked_efficiencies() const {
    stagecut::transformer::efficiencies reached = model.asked_constants(input.limits);
    refuse_twice("--efficiency", efficiency, {"gemm"});
    refuse_twice("--network-efficiency", network_efficiency, {"network", "link"});
    reached.gemm = efficiency.value_or(reached.gemm);
    reached.network = network_efficiency.value_or(reached.network);
    reached.link = network_efficiency.value_or(reached.link);
    try {
      stagecut::transformer::check(reached);
    } catch (const stagecut::invalid_input& error) {
      const bool of_network = error.place() == "efficiency.network";
      throw CLI::ValidationError(of_network ? "--network-efficiency" : "--efficiency",
                                 error.what() + error.place().size() + 2);
    }
    return reached;
  }

  /// Rejects a share that `--constants` sets, too.
  void refuse_twice(const char* option, const std::optional<double>& value, const std::vector<std::string>& names) const {
    if (!value || model.constants.find('=') == std::string::npos) return;
    for (const std::string_view each : split(model.constants, ',')) {
      const std::string name(each.substr(0, each.find('=')));
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      throw CLI::ValidationError(option, fmt::format("is set by --constants, too: {}", shown(std::string(each))));
    }
  }

  /// Writes the sustained rates of a device as shares, if these are fitted.
  void fit_shares(stagecut::transformer::device& on, stagecut::transformer::efficiencies& reached) const {
    using stagecut::transformer::efficiencies;
    for (const stagecut::fitted_constant each : fitted_constants()) {
      if (each == &efficiencies::link && on.sustained_link > 0) {
        reached.link = std::exchange(on.sustained_link, 0) / on.link;
      }
      if (each == &efficiencies::memory && on.sustained_bandwidth > 0) {
        reached.memory = std::exchange(on.sustained_bandwidth, 0) / on.bandwidth;
      }
    }
  }

  /// The constants that fit the measurements; prints the quality of the fit.
  [[nodiscard]] calibration_result calibrated(const stagecut::io::transformer_config& from,
                                              const stagecut::transformer::device& on,
                                              const stagecut::transformer::efficiencies& start,
                                              const stagecut::io::measured_file& measured) const {
    const auto profile_of = [&](const stagecut::transformer::efficiencies& reached) {
      return model.profiled(from, on, reached);
    };
    calibration_result found = calibrate(profile_of, measured, start, calibration, fitted_constants());
    say_lines(found.text);
    return found;
  }

  /// The constants that are fitted.
  [[nodiscard]] std::vector<stagecut::fitted_constant> fitted_constants() const {
    using namespace stagecut::transformer;
    if (fitted.empty()) return {&efficiencies::gemm, &efficiencies::power, &efficiencies::network, &efficiencies::link};
    std::vector<stagecut::fitted_constant> made;
    for (const std::string_view name : split(fitted, ',')) {
      const auto* const found = stagecut::find_name(efficiency_names, name);
      if (found == nullptr) {
        throw CLI::ValidationError("--fit-constants", fmt::format("{} is none of {}", shown(std::string(name)),
                                                                  stagecut::list_names(efficiency_names)));
      }
      made.push_back(found->value);
    }
    return made;
  }

  /// The terms of the requested layer.
  [[nodiscard]] std::string explanation(const stagecut::io::transformer_config& from, const stagecut::profile& made,
                                        const stagecut::transformer::device& on,
                                        const stagecut::transformer::efficiencies& reached) const {
    const std::size_t layer = parse_layer("--explain", made, explained);
    const stagecut::transformer::roofline clock(on, from.training.precision, reached);
    const auto terms = model.inference
                           ? stagecut::transformer::explain_inference(from.architecture, model.served(from),
                                                                      model.serving_phase(), on, reached)
                           : stagecut::transformer::explain(from.architecture, from.training, on, reached);
    const stagecut::layer& of = made.layers[layer];
    std::string text = terms_text(of.name, terms[layer], clock.memory_rate(), model.inference ? 3e-6 : reached.tail, reached.launch);
    if (calibration.empty()) return text;
    const stagecut::profile computed = model.profiled(from, on, reached);
    const stagecut::layer& before = computed.layers[layer];
    if (before.forward != of.forward || before.backward != of.backward) {
      text += fmt::format("in the profile, by measurements: forward {}, backward {}\n", seconds_text(of.forward),
                          seconds_text(of.backward));
    }
    return text;
  }

  /// A summary of the profile, with its parameter counts; for inference, both phases.
  [[nodiscard]] std::string summary(const stagecut::io::transformer_config& from, const stagecut::profile& made,
                                    const stagecut::transformer::device& on,
                                    const stagecut::transformer::efficiencies& reached) const {
    using namespace stagecut::transformer;
    const parameter_count numbers = count_parameters(from.architecture);
    std::string text = profile_text(made) + fmt::format("{:.0f} parameters", numbers.total);
    if (numbers.active != numbers.total) text += fmt::format(", {:.0f} of them active", numbers.active);
    if (numbers.vision != 0) text += fmt::format(", {:.0f} of them to see", numbers.vision);
    if (numbers.further != 0) text += fmt::format("; {:.0f} more guess further tokens", numbers.further);
    if (!from.architecture.encoder) {
      const cached_count kept = count_cached(from.architecture);
      text += fmt::format("\ninference keeps {:.0f} numbers of each token", kept.per_token);
      if (kept.at_most != 0) text += fmt::format(", and at most {:.0f} of a request besides", kept.at_most);
    }
    text += "\n" + computed_text(made) + basis_text(made) + "\n";
    if (!model.inference) return text;
    for (const auto& [name, phase] : phase_names) {
      double seconds = 0;
      for (const auto& each :
           inference_profile(from.architecture, model.served(from), phase, on, reached).layers) {
        seconds += each.forward;
      }
      text += phase == serving_phase::decode ? fmt::format("a token of each request: {}\n", seconds_text(seconds))
                                             : fmt::format("their whole prompts: {}\n", seconds_text(seconds));
    }
    return text;
  }
};
