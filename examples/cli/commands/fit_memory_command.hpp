// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/fit/fit_memory.hpp>
#include <stagecut/fit/layer_times.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/frameworks/mindspore_trace.hpp>
#include <stagecut/io/frameworks/sapp.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/json/sapp_figures.hpp>
#include <stagecut/io/read_profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "options/dry_run_flags.hpp"
#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "output/memory_fit_text.hpp"
#include "output/output.hpp"

/// The output formats of a memory fit.
enum class memory_fit_format { text, json, sapp };
inline constexpr stagecut::named<memory_fit_format> memory_fit_formats[] = {
    {"text", memory_fit_format::text}, {"json", memory_fit_format::json}, {"sapp", memory_fit_format::sapp}};

/// The options of `stagecut fit memory`.
struct fit_memory_command {
  std::vector<std::string> files;
  dry_run_flags measured;
  bool as_sapp = false;
  bool no_constant = false;
  std::string times, name;
  std::size_t layers = 0;  // of the model; unset: those of the dry runs
  memory_fit_format format = memory_fit_format::text;
  std::string output;
  limit_flags input;

  /// Registers the options.
  CLI::App* add(CLI::App& fit) {
    auto* const command = fit.add_subcommand("memory", "Take the peaks of dry runs apart");
    command->add_option("FILE", files, "SAPP's yaml of dry runs")->required()->type_name("");
    measured.add(*command);
    command->add_flag("--as-sapp", as_sapp, "As SAPP does it, to compare");
    command->add_flag("--no-constant", no_constant, "The parts have what every rank needs");
    command->add_option("--times", times, "Of forward passes, ms: HEAD,BODY,TAIL")->type_name("LIST");
    command->add_option("--layers", layers, "Of the model's body, if dry runs had others")
        ->type_name("L")
        ->transform(count(1, most_layers));
    command->add_option("--name", name, "Of the model")->type_name("NAME");
    add_choice(*command, "--format", format, memory_fit_formats, "NAME", "text, json: a profile, sapp: SAPP's layers");
    command->add_option("--output", output, "Write to this file")->type_name("FILE");
    input.add(*command);
    refuse_empty(*command);
    return command;
  }

  /// Splits the peaks into parts, and writes the parts.
  [[nodiscard]] int run() const {
    check_output(output, files);
    if (as_sapp && no_constant)
      throw CLI::ValidationError("--no-constant", "goes without --as-sapp, which decides that");
    const auto given_times = asked_times();
    dry_run_data data = measured.read(files, input, layers != 0);
    if (layers != 0) data.layers = layers;
    const stagecut::memory_fit found = fitted(data.runs);
    if (given_times) data.times = given_times;
    if (!data.times && data.traces) data.times = traced_times(data);
    if (format == memory_fit_format::text) return write(memory_fit_text(data.runs, found, data.times), output), 0;
    const std::string written = layer_file(data, found);
    if (format == memory_fit_format::sapp) {
      write(written, output);
    } else {
      write(stagecut::io::as_json(stagecut::io::parse_profile(written, source())) + "\n", output);
    }
    if (std::round(found.margin) >= 1048576) {
      say(fmt::format("{}: keep {} of each device free: by so much a peak is above its prediction", source(),
                      bytes_text(found.margin)));
    }
    return 0;
  }

 private:
  static constexpr std::size_t most_layers = 9998;  // accepted on input, with head and tail

  [[nodiscard]] std::string source() const { return source_name(files.front()); }

  /// The times that were given.
  [[nodiscard]] std::optional<stagecut::io::sapp_times> asked_times() const {
    if (times.empty()) return std::nullopt;
    const auto given = parse_list<double>("--times", times, "0.06,3.1,3.5");
    if (given.size() != 3)
      throw CLI::ValidationError("--times",
                                 fmt::format("{} has {} numbers, not those of HEAD,BODY,TAIL", times, given.size()));
    for (const double each : given) {
      if (!(each >= 0) || !(each < 1e12))
        throw CLI::ValidationError("--times", fmt::format("{:.6g} is no number of milliseconds", each));
    }
    return stagecut::io::sapp_times{given[0] * 1e-3, given[1] * 1e-3, given[2] * 1e-3};
  }

  [[nodiscard]] stagecut::memory_fit fitted(const stagecut::dry_runs& runs) const {
    const auto method = as_sapp ? stagecut::memory_method::as_sapp : stagecut::memory_method::non_negative;
    try {
      return stagecut::fit_memory(runs, {method, !no_constant});
    } catch (const stagecut::invalid_input& error) {
      std::string problem = error.what() + error.place().size() + 2;
      if (const std::size_t at = problem.find(" of them cannot determine"); at != problem.npos)
        problem.replace(at, 8, " peaks");
      if (!as_sapp && !no_constant && problem.find("the constant") != std::string::npos) {
        problem += "; --no-constant does without";
      }
      throw stagecut::invalid_input(source(), problem);
    }
  }

  /// The file of layers.
  [[nodiscard]] std::string layer_file(const dry_run_data& data, const stagecut::memory_fit& found) const {
    if (!data.times)
      throw stagecut::invalid_input(source(), "has no times of layers: give --times HEAD,BODY,TAIL, in ms");
    stagecut::io::sapp_figures figures{name,       data.layers, *data.times,       found.constant,   found.parameters,
                                       found.head, found.tail,  data.runs.choices, found.activations};
    const auto refuse = [&](const std::string& part, double bytes) {
      if (bytes < 0)
        throw stagecut::invalid_input(
            source(), fmt::format("{} came out as {}: such layers cannot be written", part, signed_bytes_text(bytes)));
    };
    refuse("the parameters of a layer", found.parameters);
    refuse("the head", found.head);
    refuse("the tail", found.tail);
    for (std::size_t c = 0; c < data.runs.choices.size(); ++c)
      refuse("the activations of " + data.runs.choices[c], found.activations[c]);
    try {
      return stagecut::io::as_sapp_layers(figures);
    } catch (const nlohmann::json::type_error&) {
      throw CLI::ValidationError("--name", name + " is not UTF-8");
    }
  }

  /// The folder of the traces: relative to here, or else to the file that names them.
  static std::string folder_of(const dry_run_data& data) {
    std::error_code none;
    const std::filesystem::path beside = std::filesystem::path(data.traced).parent_path() / data.traces->folder;
    return std::filesystem::exists(data.traces->folder, none) ? data.traces->folder : beside.string();
  }

  /// The times from traces, if their folder exists: medians over all ranks.
  [[nodiscard]] std::optional<stagecut::io::sapp_times> traced_times(const dry_run_data& data) const {
    const std::string folder = folder_of(data);
    std::vector<std::string> found;
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
      const std::string file = at->path().filename().string();
      if (file == "trace_view.json" || (file.starts_with("msprof") && file.ends_with(".json")))
        found.push_back(at->path().string());
    }
    if (found.empty()) {
      say(fmt::format("{}: no times: there are no traces in {}", source_name(data.traced), shown(data.traces->folder)));
      return std::nullopt;
    }
    std::sort(found.begin(), found.end());
    std::vector<std::vector<double>> samples(3);
    for (const std::string& file : found) {
      const auto read = stagecut::io::read_mindspore_trace(stagecut::io::file_text(file, input.limits), file,
                                                           *data.traces, input.limits);
      if (read.head) samples[0].push_back(*read.head);
      if (read.body) samples[1].push_back(*read.body);
      if (read.tail) samples[2].push_back(*read.tail);
    }
    const char* const parts[] = {"the head", "the body", "the tail"};
    for (std::size_t i = 0; i < 3; ++i) {
      if (samples[i].empty())
        throw stagecut::invalid_input(folder, fmt::format("no trace has {}: give --times instead", parts[i]));
    }
    const auto each = stagecut::layer_times(samples);
    return stagecut::io::sapp_times{each[0].seconds, each[1].seconds, each[2].seconds};
  }
};
