// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/screen.hpp"
#include "words/quantity.hpp"
#include "words/transfer_words.hpp"
#include "words/words.hpp"

/// `25GB` or `25GB@5e-6`: bytes a second, and seconds of every message; nothing if it is neither.
inline std::optional<stagecut::link_speed> parse_link(std::string_view text) {
  const std::size_t at = text.find('@');
  const auto bandwidth = parse_bytes(text.substr(0, at));
  if (!bandwidth || *bandwidth == 0) return std::nullopt;
  stagecut::link_speed link{0, *bandwidth};
  if (at == std::string_view::npos) return link;
  const auto latency = parse_number(text.substr(at + 1));
  link.latency = latency.value_or(0);
  return latency && *latency >= 0 ? std::optional(link) : std::nullopt;
}

/// `8x4:300GB,25GB@5e-6`: the sizes of groups of devices, innermost first, and the link within each, as a topology of that
/// model.
/// @throws CLI::ValidationError
inline stagecut::topology parse_topology(const std::string& text, const stagecut::profile& model) {
  const auto refuse = [&](const std::string& why) {
    throw CLI::ValidationError("--topology", fmt::format("{}: 8x4:300GB,25GB@5e-6 is 4 nodes of 8 devices", why));
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse(fmt::format("{} tells no bandwidth", shown(text)));
  std::vector<std::size_t> sizes;
  for (const std::string_view each : split(std::string_view(text).substr(0, colon), 'x')) {
    const auto size = parse_count(each);
    if (!size || *size == 0) refuse(fmt::format("{} is no number of devices or groups", shown(std::string(each))));
    sizes.push_back(*size);
  }
  std::vector<stagecut::link_speed> links;
  for (const std::string_view each : split(std::string_view(text).substr(colon + 1), ',')) {
    const auto link = parse_link(each);
    if (!link) refuse(fmt::format("{} is no bandwidth, nor one with a latency", shown(std::string(each))));
    links.push_back(*link);
  }
  if (links.size() != sizes.size()) {
    refuse(fmt::format("{} sizes have {} bandwidths", sizes.size(), links.size()));
  }
  refuse_idle_links("--topology", model, links);
  try {
    return {sizes, links};
  } catch (const stagecut::argument_error& error) {
    throw CLI::ValidationError(in_options(error));
  }
}

/// How fast devices are, and how fast they speak with each other, as it is said to `plan`.
struct device_words {
  std::string speeds;
  std::string topology;
  transfer_words transfers;

  void add(CLI::App& command) {
    command.add_option("--device-speeds", speeds, "Of each device, 1 as profiled: 1,1,0.5,1")->type_name("LIST");
    command.add_option("--topology", topology, "4 nodes of 8 devices: 8x4:300GB,25GB@5e-6")->type_name("T");
    transfers.add(command);
    for (const char* const each : {"--latency", "--transfers"}) command.get_option(each)->group(rare_options);
  }

  /// Fills a request for that model.
  void ask(const stagecut::profile& model, stagecut::plan_request& request) const {
    request.speeds = parse_list<double>("--device-speeds", speeds, "1,1,0.5,1");
    request.transfers = transfers.occupies();
    if (!topology.empty()) {
      if (transfers.link_said()) {
        throw CLI::ValidationError("--topology", "tells what --bandwidth and --latency would: say either");
      }
      request.topology = parse_topology(topology, model);
    } else if (transfers.said()) {
      request.links = {transfers.link(model)};
    }
  }
};
