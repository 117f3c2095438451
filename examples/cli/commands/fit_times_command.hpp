// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/json/json_line.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/json/transformer_config.hpp>
#include <stagecut/io/tables/layer_ranges.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/take_measured.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/read_model.hpp"
#include "commands/trace_samples.hpp"
#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "options/table_flags.hpp"
#include "output/file_notes.hpp"
#include "output/output.hpp"
#include "output/screen.hpp"

/// The options of `stagecut fit times`.
struct fit_times_command {
  std::vector<std::string> files;
  std::vector<std::string> layers;
  std::string into;
  std::string output;
  limit_flags input;
  table_flags table;

  /// Registers the options.
  CLI::App* add(CLI::App& fit) {
    auto* const command = fit.add_subcommand("times", "Take the times of layers from traces of a profiler");
    command->add_option("TRACE", files, "JSON of PyTorch's profiler, or CSV of nsys stats")->required()->type_name("");
    command->add_option("--layers", layers, "Ranges of layers: Block_*=layers.*; again for each")
        ->type_name("RANGE")
        ->allow_extra_args(false);
    command->add_option("--into", into, "The profile whose times they replace")->type_name("FILE");
    command->add_option("--output", output, "Write to this file")->type_name("FILE");
    input.add(*command);
    table.add(*command);
    refuse_empty(*command);
    return command;
  }

  /// Reads the traces, and writes the times: as measurements, or in the profile.
  [[nodiscard]] int run() const {
    std::vector<std::string> inputs = files;
    inputs.push_back(into);
    check_output(output, inputs);
    std::optional<stagecut::profile> model;
    if (!into.empty()) model = read_profile();
    const stagecut::io::layer_ranges ranges = asked_ranges(model);
    trace_samples samples;
    for (const std::string& file : files) {
      const std::string source = source_name(file);
      const std::string text = file == "-" ? stagecut::io::stream_text(std::cin, source, input.limits)
                                           : stagecut::io::file_text(file, input.limits);
      samples.add(text, source, ranges, input.limits);
    }
    if (samples.empty()) {
      throw stagecut::invalid_input(
          source_name(files.front()),
          fmt::format("no range with kernels is a layer: name them by --layers; other ranges are {}",
                      samples.other_ranges_text()));
    }
    samples.say_shares();
    const std::vector<stagecut::measured_layer> measured = samples.medians();
    if (measured.empty())
      throw stagecut::invalid_input(source_name(files.front()), "kernels of layers take no time in it");
    say_unmatched(measured);
    write(model ? stagecut::io::as_json(with_times(*std::move(model), measured)) + "\n" : as_measured(measured),
          output);
    return 0;
  }

 private:
  [[nodiscard]] stagecut::profile read_profile() const {
    const std::string source = source_name(into);
    const std::string text = into == "-" ? stagecut::io::stream_text(std::cin, source, input.limits)
                                         : stagecut::io::file_text(into, input.limits);
    if (stagecut::io::is_transformer_config(text, input.limits)) {
      throw stagecut::invalid_input(
          source, "is a configuration, not a profile: give the output of fit times to profile transformer --calibrate");
    }
    stagecut::profile model = table.read([&](const stagecut::io::table_options& options) {
      return stagecut::io::parse_profile(text, source, input.limits, options);
    });
    say_file_notes(text, source, model);
    if (model.weights_only) throw stagecut::invalid_input(source, "has weights, not seconds");
    return model;
  }

  /// The ranges of `--layers`, and others with the names of the profile's layers and modules.
  [[nodiscard]] stagecut::io::layer_ranges asked_ranges(const std::optional<stagecut::profile>& model) const {
    stagecut::io::layer_ranges ranges;
    for (const std::string& each : layers) {
      const std::size_t equals = std::min(each.find('='), each.size());
      try {
        ranges.add(each.substr(0, equals), each.substr(std::min(equals + 1, each.size())));
      } catch (const stagecut::argument_error&) {
        throw CLI::ValidationError(
            "--layers", fmt::format("{} is not RANGE or RANGE=NAME, with one * in each at most", shown(each)));
      }
    }
    if (model) {
      const stagecut::io::layer_ranges given = ranges;
      const auto add = [&](const std::string& range, const std::string& layer) {
        const bool is_name = !range.empty() && range != "nn.Module: " && (range + layer).find('*') == std::string::npos;
        if (is_name && !given.find(range)) ranges.add(range, layer);
      };
      for (const stagecut::layer& layer : model->layers) {
        add(layer.name, layer.name);
        for (const std::string& module : layer.modules.get()) add(module, layer.name);
      }
    }
    if (ranges.empty()) {
      throw CLI::ValidationError("fit times", "needs --layers, or --into with a profile that names its layers");
    }
    return ranges;
  }

  /// Says which `--layers` named no measured layer.
  void say_unmatched(const std::vector<stagecut::measured_layer>& measured) const {
    for (const std::string& each : layers) {
      const std::size_t equals = each.find('=');
      const std::string name = each.substr(equals == each.npos ? 0 : equals + 1);
      const std::size_t star = name.find('*');
      const bool found = std::any_of(measured.begin(), measured.end(), [&](const auto& layer) {
        return star == name.npos ? layer.name == name : layer.name.starts_with(name.substr(0, star));
      });
      if (!found) say(fmt::format("--layers {}: no range with kernels is called so", shown(each)));
    }
  }

  [[nodiscard]] static std::string as_measured(const std::vector<stagecut::measured_layer>& measured) {
    std::string text;
    for (const stagecut::measured_layer& layer : measured) {
      nlohmann::ordered_json object{{"name", layer.name}};
      if (layer.forward) object["forward"] = *layer.forward;
      if (layer.backward) object["backward"] = *layer.backward;
      try {
        text += (text.empty() ? "\n  " : ",\n  ") + stagecut::io::json_line(object);
      } catch (const nlohmann::json::type_error&) {
        throw CLI::ValidationError("--layers", shown(layer.name) + " is not UTF-8");
      }
    }
    return "{\"layers\": [" + text + "\n]}\n";
  }

  /// The measured and the computed times of the layers of a kind, by pass.
  struct kind_times {
    std::vector<std::size_t> measured_layers;
    std::vector<std::size_t> other_layers;
    double measured[2] = {0, 0};
    double computed[2] = {0, 0};  // of the measured layers
    std::size_t count[2] = {0, 0};

    /// The mean of a pass, if the measured layers had no time before.
    [[nodiscard]] std::optional<double> mean(std::size_t pass) const {
      if (count[pass] == 0 || computed[pass] > 0) return std::nullopt;
      return measured[pass] / static_cast<double>(count[pass]);
    }

    /// What becomes of the layers that were not measured.
    [[nodiscard]] std::string text(std::size_t pass) const {
      if (count[pass] == 0) return "as it was";
      if (const auto seconds = mean(pass)) return "their mean, " + seconds_text(*seconds);
      return fmt::format("{:.4g} times what it was", measured[pass] / computed[pass]);
    }
  };

  /// The profile with the measured times. Layers that were not measured follow those of their kind; prints how.
  [[nodiscard]] stagecut::profile with_times(stagecut::profile model,
                                             std::vector<stagecut::measured_layer> measured) const {
    std::map<std::string, const stagecut::measured_layer*> by_name;
    for (stagecut::measured_layer& layer : measured) {
      if (model.inference) layer.backward.reset();
      by_name[layer.name] = &layer;
    }
    std::map<std::string, kind_times> kinds;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const stagecut::layer& layer = model.layers[i];
      kind_times& kind = kinds[layer.kind];
      const auto found = by_name.find(layer.name);
      (found == by_name.end() ? kind.other_layers : kind.measured_layers).push_back(i);
      if (found == by_name.end()) continue;
      const std::optional<double>* const times[2] = {&found->second->forward, &found->second->backward};
      const double computed[2] = {layer.forward, layer.backward};
      for (const std::size_t pass : {0U, 1U}) {
        if (!*times[pass]) continue;
        ++kind.count[pass];
        kind.measured[pass] += **times[pass];
        kind.computed[pass] += computed[pass];
      }
      by_name.erase(found);
    }
    if (!by_name.empty()) {
      const std::string name = shown(by_name.begin()->first);
      throw stagecut::invalid_input(source_name(into), fmt::format("has no layer {}, which --layers names", name));
    }
    for (const auto& [name, kind] : kinds) fill(model, name, kind, measured);
    stagecut::take_measured(model, measured);
    mark_measured(model);
    return model;
  }

  /// Prints what becomes of the layers of a kind that were not measured; those without a computed time get the mean.
  void fill(const stagecut::profile& model, const std::string& name, const kind_times& kind,
            std::vector<stagecut::measured_layer>& measured) const {
    if (kind.other_layers.empty()) return;
    const std::string which = fmt::format("{}: {}{}", source_name(into), name.empty() ? "" : shown(name) + ": ",
                                          some_of(model, kind.other_layers));
    if (kind.measured_layers.empty()) return say(which + ": no layer of the kind was measured, times stay");
    say(fmt::format("{}: from {}, forward {}, backward {}", which, some_of(model, kind.measured_layers), kind.text(0),
                    kind.text(1)));
    for (const std::size_t i : kind.other_layers) {
      stagecut::measured_layer own{model.layers[i].name, kind.mean(0), kind.mean(1)};
      if (own.forward || own.backward) measured.push_back(std::move(own));
    }
  }

  /// `layers.4 ... layers.31 (28 layers)`.
  static std::string some_of(const stagecut::profile& model, const std::vector<std::size_t>& layers) {
    const auto name = [&](std::size_t i) { return shown(model.layers[i].name); };
    if (layers.size() > 3)
      return fmt::format("{} ... {} ({} layers)", name(layers.front()), name(layers.back()), layers.size());
    std::string text;
    for (const std::size_t i : layers) text += (text.empty() ? "" : ", ") + name(i);
    return text;
  }

  /// Notes in a computed profile that it was measured, as --calibrate does.
  static void mark_measured(stagecut::profile& model) {
    auto others = nlohmann::ordered_json::parse(model.unknown_fields, nullptr, false);
    if (!others.is_object() || !others.contains("computed") || !others["computed"].is_object()) return;
    others["computed"]["measured"] = true;
    model.unknown_fields = others.dump();
  }
};
