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
#include <utility>
#include <vector>

#include "options/node_flags.hpp"
#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "options/transfer_flags.hpp"
#include "output/screen.hpp"

/// Parses `8x4:300GB,25GB@5e-6`: the sizes of groups of devices, innermost first, and the link within each.
/// @throws CLI::ValidationError
inline device_groups parse_topology(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    throw CLI::ValidationError("--topology", fmt::format("{}: 8x4:300GB,25GB@5e-6 is 4 nodes of 8 devices", why));
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse(fmt::format("{} has no bandwidth", shown(text)));
  std::vector<std::size_t> sizes;
  for (const std::string_view part : split(std::string_view(text).substr(0, colon), 'x')) {
    const auto size = parse_count(part);
    if (!size || *size == 0) refuse(fmt::format("{} is no number of devices or groups", shown(std::string(part))));
    sizes.push_back(*size);
  }
  std::vector<stagecut::link_speed> links;
  for (const std::string_view part : split(std::string_view(text).substr(colon + 1), ',')) {
    const auto link = parse_link(part);
    if (!link) refuse(fmt::format("{} is no bandwidth, nor one with a latency", shown(std::string(part))));
    links.push_back(*link);
  }
  if (links.size() != sizes.size()) {
    refuse(fmt::format("{} sizes have {} bandwidths", sizes.size(), links.size()));
  }
  return {std::move(sizes), std::move(links)};
}

/// The speeds of devices and links, as options of `plan`.
struct device_flags {
  std::string speeds;
  std::string topology;
  node_flags nodes;
  transfer_flags transfers;

  void add(CLI::App& command) {
    command.add_option("--device-speeds", speeds, "Of each device, 1 as profiled: 1,1,0.5,1")->type_name("LIST");
    command.add_option("--topology", topology, "4 nodes of 8 devices: 8x4:300GB,25GB@5e-6")->type_name("T");
    nodes.add(command);
    transfers.add(command);
    for (const char* const each : {"--topology", "--latency", "--transfers"})
      command.get_option(each)->group(rare_options);
  }

  /// Fills a request for that model.
  void ask(const stagecut::profile& model, stagecut::plan_request& request) const {
    request.speeds = parse_list<double>("--device-speeds", speeds, "1,1,0.5,1");
    request.transfers = transfers.occupies();
    if (const auto groups = given_groups()) {
      refuse_idle_links(nodes.given() ? "--inter" : "--topology", model, groups->links);
      try {
        request.topology = stagecut::topology(groups->sizes, groups->links);
      } catch (const stagecut::argument_error& error) {
        throw CLI::ValidationError(in_options(error));
      }
    } else if (transfers.given()) {
      request.links = transfers.links(model);
    }
  }

  /// The number of devices in a topology; 0 if none was given.
  [[nodiscard]] std::size_t of_topology() const {
    if (topology.empty()) return 0;
    std::size_t all = 1;
    for (const std::size_t size : parse_topology(topology).sizes) {
      all = all > most_devices / size ? most_devices : all * size;
    }
    return all;
  }

  /// The interpretation of the device groups; empty: none were given.
  /// @param gpus  GPUs that share each device of a topology
  [[nodiscard]] std::string reading(std::size_t gpus = 1) const {
    const auto groups = given_groups();
    if (!groups) return "";
    const std::size_t shared_by = nodes.given() ? nodes.shared_by : gpus;
    const std::string each = shared_by == 1 ? "" : fmt::format("; {} GPUs share each device", shared_by);
    return "links: " + groups_text(*groups) + each;
  }

 private:
  static constexpr std::size_t most_devices = std::size_t{1} << 40U;  // beyond any real machine

  /// The groups of devices, if given.
  [[nodiscard]] std::optional<device_groups> given_groups() const {
    if (topology.empty() && !nodes.given()) return std::nullopt;
    const char* const option = topology.empty() ? "--nodes" : "--topology";
    if (transfers.link_given()) {
      throw CLI::ValidationError(option, "sets what --bandwidth and --latency do: give one of both");
    }
    if (nodes.given() && !topology.empty()) {
      throw CLI::ValidationError(option,
                                 "sets what --nodes, --gpus-per-node, --intra and --inter do: give one of both");
    }
    return nodes.given() ? nodes.groups() : parse_topology(topology);
  }
};
