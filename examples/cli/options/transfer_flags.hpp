// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/file.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "output/file_notes.hpp"
#include "output/screen.hpp"

/// Rejects links that take no time: empty messages have latency only.
inline void refuse_idle_links(const char* option, const stagecut::profile& model,
                              const std::vector<stagecut::link_speed>& links) {
  for (const auto& layer : model.layers) {
    if (layer.output != 0) return;
  }
  for (const auto& link : links) {
    if (link.latency != 0) return;
  }
  throw CLI::ValidationError(option, "has no effect: no layer has an output, and messages have no latency");
}

/// A check for comma-separated numbers, possibly with fractions.
inline CLI::Validator numbers_check() {
  return CLI::Validator(
      [](const std::string& text) {
        for (const std::string_view each : split(text, ',')) {
          if (!parse_number(each)) return fmt::format("{} is no number", shown(std::string(each)));
        }
        return std::string();
      },
      "");
}

/// The times of messages between ranks, as options of several commands: for all boundaries, or per boundary.
struct transfer_flags {
  std::string latency;
  std::string bandwidth;
  std::optional<stagecut::transfer_kind> kind;

  void add(CLI::App& command) {
    command.add_option("--latency", latency, "Seconds of a message: 5e-6, or a list by boundary")
        ->type_name("TIME")
        ->check(numbers_check());
    command.add_option("--bandwidth", bandwidth, "Bytes a second between ranks: 25GB, or a list")->type_name("SIZE");
    add_choice(command, "--transfers", kind, stagecut::transfer_kind_names, "KIND",
               "link (the default), latency, stream, blocking");
  }

  /// Whether a message speed was given.
  [[nodiscard]] bool link_given() const { return !latency.empty() || !bandwidth.empty(); }
  /// Whether any message option was given.
  [[nodiscard]] bool given() const { return link_given() || kind; }

  /// The links for the outputs of layers: one for all boundaries, or one per boundary.
  [[nodiscard]] std::vector<stagecut::link_speed> links(const stagecut::profile& model) const {
    std::vector<double> speeds;
    for (const std::string_view each : split(bandwidth, ',')) {
      if (bandwidth.empty()) break;
      const auto bytes = parse_bytes(each);
      if (!bytes || *bytes == 0) {
        throw CLI::ValidationError("--bandwidth",
                                   fmt::format("{} is no size: bytes a second, or 25GB", shown(std::string(each))));
      }
      speeds.push_back(*bytes);
    }
    if (speeds.empty()) speeds = {0};
    const std::vector<double> delays = times();
    const std::size_t count = std::max(speeds.size(), delays.size());
    if ((speeds.size() != 1 && speeds.size() != count) || (delays.size() != 1 && delays.size() != count)) {
      throw CLI::ValidationError("--latency", fmt::format("{} values, and --bandwidth has {}: one, or as many", delays.size(),
                                                          speeds.size()));
    }
    std::vector<stagecut::link_speed> result;
    for (std::size_t b = 0; b < count; ++b) {
      result.push_back({delays[delays.size() == 1 ? 0 : b], speeds[speeds.size() == 1 ? 0 : b]});
    }
    if (!bandwidth.empty()) refuse_idle_links("--bandwidth", model, result);
    return result;
  }

  /// The resource that they occupy.
  [[nodiscard]] stagecut::transfer_kind occupies() const { return kind.value_or(stagecut::transfer_kind::link); }

  /// For a plan: its own links by default.
  [[nodiscard]] stagecut::transfer_times<double> of(stagecut::plan plan, std::size_t slices = 0) const {
    if (link_given() || (given() && plan.messages.links.empty())) plan.messages.links = links(plan.profile);
    if (kind || plan.messages.kind.empty()) plan.messages.kind = to_string(occupies());
    return stagecut::transfers_of(plan, slices);
  }

  /// One for all boundaries, or one each; empty if no message option was given.
  [[nodiscard]] stagecut::transfer_times<double> of_lists() const {
    if (!bandwidth.empty()) throw CLI::ValidationError("--bandwidth", "needs a plan, which knows the bytes");
    if (!given()) return {};
    return {occupies(), times(), times()};
  }

 private:
  /// Latencies, one for all boundaries or one each.
  [[nodiscard]] std::vector<double> times() const {
    if (latency.empty()) return {0};
    std::vector<double> result;
    for (const std::string_view each : split(latency, ',')) {
      result.push_back(*parse_number(each));
      if (result.back() >= 0 && !std::isinf(result.back())) continue;
      throw CLI::ValidationError("--latency", fmt::format("{} is no time", result.back()));
    }
    return result;
  }
};

/// Reads a plan from a file, or from standard input.
inline stagecut::plan plan_from(const std::string& file, const stagecut::io::read_limits& limits) {
  const std::string source = file == "-" ? "standard input" : file;
  const std::string text =
      file == "-" ? stagecut::io::stream_text(std::cin, source, limits) : stagecut::io::file_text(file, limits);
  stagecut::plan made = stagecut::io::parse_json_plan(text, source, limits);
  say_file_notes(text, source, made);
  return made;
}
