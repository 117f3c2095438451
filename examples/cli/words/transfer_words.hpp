// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "words/quantity.hpp"
#include "words/words.hpp"

/// Refuses links that take no time: of messages that are empty there is the latency alone.
inline void refuse_idle_links(const char* option, const stagecut::profile& model,
                              const std::vector<stagecut::link_speed>& links) {
  for (const auto& layer : model.layers) {
    if (layer.output != 0) return;
  }
  for (const auto& each : links) {
    if (each.latency != 0) return;
  }
  throw CLI::ValidationError(option, "says nothing: no layer has an output, and messages have no latency");
}

/// What messages between ranks take, as it is said to several commands.
struct transfer_words {
  std::optional<double> latency;
  std::string bandwidth;
  std::optional<stagecut::transfer_kind> kind;

  void add(CLI::App& command) {
    command.add_option("--latency", latency, "Of every message between ranks")
        ->type_name("TIME")
        ->check(number_check());
    command.add_option("--bandwidth", bandwidth, "Bytes a second of messages: 25GB")->type_name("SIZE");
    add_choice(command, "--transfers", kind, stagecut::transfer_kind_words, "KIND",
               "link (the default), latency, stream, blocking");
  }

  /// Whether anything was said of how fast messages are.
  [[nodiscard]] bool link_said() const { return latency || !bandwidth.empty(); }
  /// Whether anything was said of messages.
  [[nodiscard]] bool said() const { return link_said() || kind; }

  /// How fast messages are that hand on the outputs of layers.
  [[nodiscard]] stagecut::link_speed link(const stagecut::profile& model) const {
    std::optional<double> bytes = 0;
    if (!bandwidth.empty()) {
      bytes = parse_bytes(bandwidth);
      if (!bytes || *bytes == 0) {
        throw CLI::ValidationError("--bandwidth", fmt::format("{} is no size: bytes a second, or 25GB", bandwidth));
      }
      refuse_idle_links("--bandwidth", model, {{time(), *bytes}});
    }
    return {time(), *bytes};
  }

  /// What they occupy.
  [[nodiscard]] stagecut::transfer_kind occupies() const { return kind.value_or(stagecut::transfer_kind::link); }

  /// For a plan: over its own links where nothing else was said of them.
  [[nodiscard]] stagecut::transfer_times<double> of(stagecut::plan plan, std::size_t slices = 1) const {
    if (link_said() || (said() && plan.messages.links.empty())) plan.messages.links = {link(plan.profile)};
    if (kind || plan.messages.kind.empty()) plan.messages.kind = to_string(occupies());
    return stagecut::transfers_of(plan, slices);
  }

  /// The same for all boundaries; none if nothing was said of messages.
  [[nodiscard]] stagecut::transfer_times<double> of_lists() const {
    if (!bandwidth.empty()) throw CLI::ValidationError("--bandwidth", "needs a plan, which knows the bytes");
    if (!said()) return {};
    return {occupies(), {time()}, {time()}};
  }

 private:
  [[nodiscard]] double time() const {
    const double result = latency.value_or(0);
    if (result >= 0 && !std::isinf(result)) return result;
    throw CLI::ValidationError("--latency", fmt::format("{} is no time", result));
  }
};

/// A plan from a file, or from standard input.
inline stagecut::plan plan_from(const std::string& file, const stagecut::io::read_limits& limits) {
  return file == "-" ? stagecut::io::read_plan(std::cin, "standard input", limits)
                     : stagecut::io::read_plan(file, limits);
}
