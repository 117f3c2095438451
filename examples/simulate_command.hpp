// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/chrome_trace.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/json_plan.hpp>
#include <stagecut/io/svg.hpp>
#include <stagecut/io/torch_schedule.hpp>
#include <stagecut/makespan/simulate_plan.hpp>
#include <stagecut/schedule/backward_first.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "output.hpp"
#include "scenario.hpp"
#include "simulation_text.hpp"
#include "words.hpp"

/// What messages between ranks take, as it is said to several commands.
struct transfer_words {
  double latency = 0;
  std::string bandwidth;
  std::string kind = "link";

  void add(CLI::App& command) {
    command.add_option("--latency", latency, "Of every message between ranks")->type_name("TIME");
    command.add_option("--bandwidth", bandwidth, "Bytes a second, of a plan's messages: 25GB")->type_name("SIZE");
    command.add_option("--transfers", kind, "link (the default), latency, stream, blocking")
        ->type_name("KIND")
        ->check(one_of({"link", "latency", "stream", "blocking"}));
  }

  [[nodiscard]] stagecut::transfer_kind occupies() const {
    using enum stagecut::transfer_kind;
    return kind == "link" ? link : kind == "latency" ? stagecut::transfer_kind::latency : kind == "stream" ? stream : blocking;
  }

  /// For a plan.
  [[nodiscard]] stagecut::transfer_times<double> of(const stagecut::plan& plan, std::size_t slices = 1) const {
    const auto bytes = bandwidth.empty() ? std::optional(0.0) : parse_bytes(bandwidth);
    if (!bytes || (*bytes == 0 && !bandwidth.empty())) {
      throw CLI::ValidationError("--bandwidth", fmt::format("{} is no size: bytes a second, or 25GB", bandwidth));
    }
    return stagecut::transfers_of(plan, latency, *bytes * static_cast<double>(slices), occupies());
  }

  /// The same for all boundaries.
  [[nodiscard]] stagecut::transfer_times<double> of_lists() const {
    if (!bandwidth.empty()) throw CLI::ValidationError("--bandwidth", "needs a plan, which knows the bytes");
    stagecut::transfer_times<double> result;
    result.kind = occupies();
    if (latency != 0) result.forward = result.backward = {latency};
    return result;
  }
};

/// A plan from a file, or from standard input.
inline stagecut::plan read_plan(const std::string& file) {
  return file == "-" ? stagecut::io::read_plan(std::cin, "standard input") : stagecut::io::read_plan(file);
}

/// The words of `stagecut simulate`.
struct simulate_command {
  std::string file;
  std::string forward, backward, backward_input, backward_weight;
  std::string schedule, order, in_flight;
  std::size_t devices = 0;
  std::size_t chunks = 0;
  std::size_t microbatches = 0;
  std::size_t group = 0;
  std::size_t slices = 1;
  transfer_words transfers;
  std::string format = "text";
  std::string output;

  /// Tells the parser of them.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("simulate", "Run a plan, or stages of given times, on paper");
    const auto option = [&](const char* name, auto& into, const char* type, const char* says) {
      return command->add_option(name, into, says)->type_name(type);
    };
    option("PLAN", file, "", "A plan; - is standard input");
    option("--forward", forward, "LIST", "Without a plan: forward times by stage: 8,14,18,20");
    option("--backward", backward, "LIST", "Backward times");
    option("--backward-input", backward_input, "LIST", "Or apart: of the gradients of inputs");
    option("--backward-weight", backward_weight, "LIST", "And of weights");
    option("--schedule", schedule, "NAME", "1f1b, gpipe, zb-h1 ..: see stagecut schedules");
    option("--order", order, "FILE", "Or the ops of each rank: PyTorch's CSV");
    option("--microbatches", microbatches, "M", "Microbatches of an iteration")->check(count_check());
    option("--devices", devices, "P", "Ranks, where a list is one time for all stages")->check(count_check());
    option("--chunks", chunks, "V", "Stages of each rank")->check(count_check());
    option("--slices", slices, "Q", "Of each microbatch's sequence, alike, for seq-1f1b")->check(count_check());
    option("--group", group, "G", "Of microbatches, for interleaved")->check(count_check());
    option("--in-flight", in_flight, "LIST", "Microbatches in flight by rank: 4,3,2,1");
    transfers.add(*command);
    option("--format", format, "NAME", "text, json, svg, trace, torch-csv, torch-comms")
        ->check(one_of({"text", "json", "svg", "trace", "torch-csv", "torch-comms"}));
    option("--output", output, "FILE", "Write to this file");
    return command;
  }

  /// Simulates, and writes what came of it.
  [[nodiscard]] int run() const {
    scenario what = asked();
    for (auto* times : {&what.times.forward, &what.times.backward, &what.times.backward_input, &what.times.backward_weight}) {
      for (double& each : *times) each /= static_cast<double>(what.order.slices);
    }
    if (format == "torch-csv") return write(stagecut::io::as_torch_schedule(what.order), output), 0;
    if (format == "torch-comms") {
      write(stagecut::io::as_torch_schedule(what.order, stagecut::io::torch_format::compute_comms), output);
      return 0;
    }
    const simulated result = ::simulate(what);
    if (format == "json") return write(simulation_json(result), output), 0;
    if (format == "text") {
      return write(simulation_text(result, output.empty() ? standard_screen() : screen{}), output), 0;
    }
    const std::vector<stagecut::io::pipeline_picture> pictures{result.picture};
    write(format == "svg" ? stagecut::io::as_svg(pictures) : stagecut::io::as_chrome_trace(pictures), output);
    return 0;
  }

 private:
  [[nodiscard]] scenario asked() const {
    try {
      if (!file.empty() && forward.empty()) return of_plan();
      if (file.empty() && !forward.empty()) return of_lists();
    } catch (const stagecut::argument_error& error) {
      throw CLI::ValidationError(in_options(error));
    }
    throw CLI::ValidationError("simulate", "needs either a plan or --forward");
  }

  [[nodiscard]] scenario of_plan() const {
    for (const auto& [name, list] : {std::pair("--backward", &backward), std::pair("--backward-input", &backward_input),
                                     std::pair("--backward-weight", &backward_weight)}) {
      if (!list->empty()) throw CLI::ValidationError(name, "goes with --forward, and the plan has times");
    }
    stagecut::plan plan = read_plan(file);
    if (devices != 0 && devices != plan.devices) {
      throw CLI::ValidationError("--devices", fmt::format("{} are not the {} of the plan", devices, plan.devices));
    }
    if (chunks != 0 && chunks != plan.chunks) {
      throw CLI::ValidationError("--chunks", fmt::format("{} are not the {} of the plan", chunks, plan.chunks));
    }
    if (microbatches != 0) plan.schedule.microbatches = microbatches;
    const bool other = !schedule.empty() || !order.empty() || !in_flight.empty();
    const auto chosen = [&] {
      if (!other) return stagecut::schedule_of(plan);
      const bool split = plan.profile.layers[0].backward_weight.has_value();
      return scheduled(plan.devices, plan.chunks, plan.schedule.microbatches, stagecut::times_of(plan, split),
                       transfers.of(plan));
    };
    std::optional<stagecut::schedule> made;
    try {
      made = chosen();
    } catch (const stagecut::invalid_input& error) {
      throw stagecut::invalid_input(file == "-" ? "standard input" : file, error.what());
    }
    const std::string& name = plan.profile.name.empty() ? file : plan.profile.name;
    scenario result = scenario_of(plan, std::move(*made), fmt::format("{}, {}", name, made->name));
    result.transfers = transfers.of(plan, result.order.slices);
    return result;
  }

  [[nodiscard]] scenario of_lists() const {
    scenario result;
    auto& times = result.times;
    std::size_t stages = 0;
    const auto read = [&](const char* name, const std::string& text, std::vector<double>& into) {
      into = parse_list<double>(name, text, "8,14,18,20");
      if (into.size() > stages) stages = into.size();
    };
    read("--forward", forward, times.forward);
    read("--backward", backward, times.backward);
    read("--backward-input", backward_input, times.backward_input);
    read("--backward-weight", backward_weight, times.backward_weight);
    const auto* const entry = stagecut::find_schedule(schedule.empty() ? "1f1b" : schedule);
    const std::size_t each = chunks != 0 ? chunks : entry != nullptr && entry->chunks != 0 ? entry->chunks : 1;
    if (devices != 0 && stages <= 1) stages = devices * each;
    for (auto* list : {&times.forward, &times.backward, &times.backward_input, &times.backward_weight}) {
      if (list->size() == 1) list->assign(stages, list->front());
    }
    if (backward.empty() && (backward_input.empty() || backward_weight.empty())) {
      throw CLI::ValidationError("--backward", "is needed, or --backward-input and --backward-weight");
    }
    if (order.empty() && (stages % each != 0 || (devices != 0 && devices * each != stages))) {
      throw CLI::ValidationError("--forward", fmt::format("{} stages are not {} on each of {} ranks", stages, each,
                                                          devices != 0 ? devices : stages / each));
    }
    result.transfers = transfers.of_lists();
    result.order = scheduled(stages / each, each, microbatches, times, result.transfers);
    result.title = result.order.name;
    result.seconds = false;
    return result;
  }

  /// The schedule that was named, or read from a file.
  [[nodiscard]] stagecut::schedule scheduled(std::size_t ranks, std::size_t each, std::size_t m,
                                             const stagecut::pass_times<double>& times,
                                             const stagecut::transfer_times<double>& messages) const {
    if (!order.empty()) {
      if (!schedule.empty()) throw CLI::ValidationError("--order", "stands in the place of --schedule");
      auto made = stagecut::io::parse_torch_schedule(stagecut::io::detail::file_text(order), order);
      if (made.stages() != ranks * each || (m != 0 && made.microbatches != m)) {
        throw stagecut::invalid_input(order, fmt::format("has {} stages and {} microbatches, not {} and {}", made.stages(),
                                                         made.microbatches, ranks * each, m));
      }
      made.name = order;
      return made;
    }
    if (m == 0) throw CLI::ValidationError("--microbatches", "is needed");
    stagecut::schedule_shape shape{.ranks = ranks, .chunks = each, .microbatches = m, .group = group, .slices = slices};
    shape.in_flight = parse_list<std::size_t>("--in-flight", in_flight, "4,3,2,1");
    const std::string name = !schedule.empty() ? schedule : in_flight.empty() ? "1f1b" : "in-flight";
    if (name == "backward-first") {
      if (each != 1) throw CLI::ValidationError("--chunks", "must be 1 for backward-first");
      const auto active = shape.in_flight.empty() ? std::vector<std::size_t>(ranks, ranks + 2) : shape.in_flight;
      return stagecut::backward_first(times, messages, active, m);
    }
    const auto* const entry = stagecut::find_schedule(name);
    if (entry == nullptr) {
      throw CLI::ValidationError("--schedule", fmt::format("{} is none (see stagecut schedules)", name));
    }
    if (entry->splits_backward && times.backward_input.empty()) {
      throw CLI::ValidationError("--schedule", fmt::format("{} needs the gradients of inputs and weights apart", name));
    }
    return stagecut::make_schedule(entry->kind, shape);
  }
};

/// The words of `stagecut compare`.
struct compare_command {
  std::vector<std::string> files;
  transfer_words transfers;
  std::string format = "text";
  std::string output;

  /// Tells the parser of them.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("compare", "Simulate several plans side by side");
    command->add_option("PLAN", files, "Plans")->required()->type_name("");
    transfers.add(*command);
    command->add_option("--format", format, "text, json, svg or trace")
        ->type_name("NAME")
        ->check(one_of({"text", "json", "svg", "trace"}));
    command->add_option("--output", output, "Write to this file")->type_name("FILE");
    return command;
  }

  /// Simulates them, and writes what came of it.
  [[nodiscard]] int run() const {
    std::vector<simulated> all;
    std::vector<stagecut::io::pipeline_picture> pictures;
    for (const std::string& file : files) {
      const stagecut::plan plan = read_plan(file);
      try {
        scenario what = scenario_of(plan, stagecut::schedule_of(plan), file);
        what.transfers = transfers.of(plan);
        all.push_back(::simulate(what));
      } catch (const stagecut::argument_error& error) {
        throw stagecut::invalid_input(file, in_options(error));
      } catch (const stagecut::invalid_input& error) {
        throw stagecut::invalid_input(file, error.what());
      }
      pictures.push_back(all.back().picture);
    }
    if (format == "svg") return write(stagecut::io::as_svg(pictures), output), 0;
    if (format == "trace") return write(stagecut::io::as_chrome_trace(pictures), output), 0;
    if (format == "text") return write(comparison_text(all), output), 0;
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string one = simulation_json(all[i]);
      text += fmt::format("{}{}: {}", i == 0 ? "{" : ",\n", stagecut::io::detail::json(files[i]).dump(),
                          one.substr(0, one.size() - 1));
    }
    return write(text + "}\n", output), 0;
  }
};
