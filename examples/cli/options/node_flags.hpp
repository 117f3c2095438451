// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/link_speed.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "output/screen.hpp"

/// Parses `25GB` or `25GB@5e-6`: bytes per second, and seconds per message; nothing if it is neither.
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

/// Groups of devices, innermost first, and the link within each.
struct device_groups {
  std::vector<std::size_t> sizes;
  std::vector<stagecut::link_speed> links;
};

/// `25 GB/s and 5 us`.
inline std::string link_text(const stagecut::link_speed& link) {
  const std::string rate = bandwidth_text(link.bandwidth);
  return link.latency == 0 ? rate : fmt::format("{} and {}", rate, seconds_text(link.latency));
}

/// The interpretation: `2 nodes × 8 devices, 450 GB/s within a node, 50 GB/s and 5 us between nodes`.
inline std::string groups_text(const device_groups& of) {
  if (of.sizes.size() == 1) return fmt::format("{} devices, {} between them", of.sizes[0], link_text(of.links[0]));
  if (of.sizes.size() == 2) {
    return fmt::format("{} nodes × {} devices, {} within a node, {} between nodes", of.sizes[1], of.sizes[0],
                       link_text(of.links[0]), link_text(of.links[1]));
  }
  std::string sizes, links;
  for (std::size_t level = 0; level < of.sizes.size(); ++level) {
    sizes = fmt::format("{}{}{}", of.sizes[level], sizes.empty() ? "" : " × ", sizes);
    links += fmt::format(", {}{}", link_text(of.links[level]), level == 0 ? " within the innermost groups" : "");
  }
  return fmt::format("{} devices{} between the outermost", sizes, links);
}

/// The nodes of a cluster and their links, as options of several commands.
struct node_flags {
  std::size_t nodes = 0, per_node = 0;  // 0: unset
  std::string intra, inter;
  std::size_t shared_by = 1;  // GPUs per pipeline rank
  std::size_t node_gpus = 0;  // `per_node` as given, before ranks share GPUs

  void add(CLI::App& command) {
    const auto option = [&](const char* name, auto& into, const char* type, const char* says) {
      return command.add_option(name, into, says)->type_name(type);
    };
    const auto rare = [&](const char* name, auto& into, const char* type, const char* says) {
      return option(name, into, type, says)->group(rare_options);
    };
    option("--nodes", nodes, "N", "With --gpus-per-node G --intra 450GB --inter 50GB")->transform(count(1, most));
    rare("--gpus-per-node", per_node, "G", "GPUs of a node")->transform(count(1, most));
    rare("--intra", intra, "LINK", "Within a node, bytes a second: 450GB");
    rare("--inter", inter, "LINK", "Between nodes, with latency: 50GB@5e-6");
  }

  /// Whether any was given.
  [[nodiscard]] bool given() const { return nodes != 0 || per_node != 0 || !intra.empty() || !inter.empty(); }

  /// Makes pipeline ranks of `gpus` neighbouring GPUs each: within a node, or whole nodes.
  /// @throws CLI::ValidationError if that is impossible
  void share(std::size_t gpus) {
    node_gpus = per_node;
    if (gpus == 1 || devices() == 0) return;
    if (devices() % gpus != 0 || (per_node % gpus != 0 && gpus % per_node != 0)) {
      throw CLI::ValidationError(
          "--gpus-per-node",
          fmt::format("{} GPUs share a stage: they must fill a node, or whole nodes, or divide one of {}", gpus,
                      per_node));
    }
    shared_by = gpus;
    nodes = per_node % gpus == 0 ? nodes : devices() / gpus;
    per_node = per_node % gpus == 0 ? per_node / gpus : 1;
    if (per_node == 1) intra.clear();  // within a stage
    if (nodes == 1) inter.clear();
  }

  /// Number of pipeline ranks; 0: not given.
  [[nodiscard]] std::size_t devices() const { return nodes * per_node; }

  /// Their groups, innermost first; omits groups of a single device.
  /// @throws CLI::ValidationError for missing or conflicting options
  [[nodiscard]] device_groups groups() const {
    const auto refuse = [](const char* option, const std::string& why) { throw CLI::ValidationError(option, why); };
    if (nodes == 0) refuse("--nodes", "is missing: how many there are");
    if (per_node == 0) refuse("--gpus-per-node", "is missing: how many a node has");
    if (devices() == 1 && shared_by > 1)
      refuse("--nodes", "all GPUs share one stage, which has no links: leave them out");
    if (devices() == 1) refuse("--nodes", "one GPU has no links: leave them out");
    if (per_node == 1 && !intra.empty()) refuse("--intra", "has no effect if a node has one GPU");
    if (nodes == 1 && !inter.empty()) refuse("--inter", "has no effect if there is one node");
    if (per_node > 1 && intra.empty()) refuse("--intra", "is missing: bytes a second within a node, such as 450GB");
    if (nodes > 1 && inter.empty())
      refuse("--inter", "is missing: bytes a second between nodes, such as 50GB or 50GB@5e-6");
    device_groups result;
    if (per_node > 1) result.sizes.push_back(per_node), result.links.push_back(link("--intra", intra));
    if (nodes > 1) result.sizes.push_back(nodes), result.links.push_back(link("--inter", inter));
    return result;
  }

  /// Rejects a pipeline that does not use all of them, with a suggestion; in a sweep, fewer are allowed.
  void check_devices(std::size_t ranks, bool fewer_will_do) const {
    const std::size_t all = devices();
    if (ranks == all || (ranks < all && fewer_will_do)) return;
    if (shared_by > 1) {
      throw CLI::ValidationError("--devices",
                                 fmt::format("{} pipeline ranks of {} GPUs each are not the {} GPUs there are: "
                                             "{} are",
                                             ranks, shared_by, all * shared_by, all));
    }
    const std::string what = fmt::format("the {} GPUs of {} node{} of {}", all, nodes, nodes == 1 ? "" : "s", per_node);
    if (ranks > all) {
      throw CLI::ValidationError("--devices", fmt::format("{} are more than {}: --nodes {} would hold them", ranks,
                                                          what, (ranks + per_node - 1) / per_node));
    }
    std::string would;
    const std::size_t share = all / ranks;  // GPUs per rank
    if (all % ranks == 0 && per_node % share == 0) {
      would = fmt::format("where {} GPUs share each (tensor parallelism, for example), --nodes {} --gpus-per-node {}",
                          share, nodes, per_node / share);
    } else if (all % ranks == 0 && share % per_node == 0) {
      would = fmt::format("where {} GPUs share each (tensor parallelism, for example), --nodes {} --gpus-per-node 1",
                          share, ranks);
    }
    if (ranks <= per_node) {
      would += fmt::format("{}on {} GPUs of one node, --nodes 1 --gpus-per-node {}", would.empty() ? "" : "; ", ranks,
                           ranks);
    }
    if (would.empty()) would = "give the nodes and GPUs that it runs on";
    throw CLI::ValidationError(
        "--devices", fmt::format("{} are fewer than {}, and each is a rank of the pipeline: {}", ranks, what, would));
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 20U;  // above any real number of either

  static stagecut::link_speed link(const char* option, const std::string& text) {
    const std::string bandwidth = text.substr(0, text.find('@'));
    const std::string question = unit_question(bandwidth);
    if (!question.empty()) throw CLI::ValidationError(option, question);
    const auto found = parse_link(text);
    if (found) return *found;
    throw CLI::ValidationError(option,
                               fmt::format("{} is no bandwidth, 50GB, nor one with a latency, 50GB@5e-6", shown(text)));
  }
};
