// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/graphs/dnn_partitioning.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/io/detail/check_profile.hpp>
#include <stagecut/io/detail/json_layer.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Bytes per second of the link of these graphs, which give the times of messages but not their bytes. As a power of two
/// it converts one into the other and back without rounding.
inline constexpr double dnn_bandwidth = 2147483648.0;

STAGECUT_DECL bool is_dnn_partitioning(const json& parsed) {
  return parsed.is_object() && !parsed.contains("schema") && parsed.contains("nodes") && parsed.contains("edges") &&
         parsed.contains("maxFPGAs");
}

/// The keys of both lists: those that are read, and those with another meaning in a profile.
template <std::size_t n, std::size_t m>
[[nodiscard]] std::vector<std::string_view> both_keys(const std::array<std::string_view, n>& read,
                                                      const std::array<std::string_view, m>& of_profile) {
  std::vector<std::string_view> keys(read.begin(), read.end());
  keys.insert(keys.end(), of_profile.begin(), of_profile.end());
  return keys;
}

/// An integer or a text, as a text: an id, a class.
[[nodiscard]] inline std::string label_text(const json_value& value) {
  if ((*value).is_string()) return value.text();
  if ((*value).is_number_integer()) return (*value).dump();
  return std::to_string(value.count());
}

/// True or false, or 1 or 0.
[[nodiscard]] inline bool number_flag(const json_value& value) {
  if ((*value).is_boolean()) return value.flag();
  if (value.count() > 1) value.fail(value.shown(), " is neither 0 nor 1");
  return value.count() == 1;
}

/// A node without the figures of its edges. Its name is its id.
inline layer read_dnn_node(const json_value& value, const std::vector<std::string_view>& known) {
  layer each;
  each.name = label_text(value.at("id"));
  if (const auto backward = value.find("isBackwardNode")) each.is_backward = number_flag(*backward);
  if (const auto supported = value.find("supportedOnFpga")) each.accelerator = number_flag(*supported);
  if (const auto cpu = value.find("cpuLatency")) each.cpu = cpu->amount() / 1000;
  const auto latency = each.accelerator ? value.at("fpgaLatency") : value.find("fpgaLatency");
  if (latency) (each.is_backward ? each.backward : each.forward) = latency->amount() / 1000;
  if (const auto size = value.find("size")) each.resident = size->amount();
  if (const auto colour = value.find("colorClass")) each.group = label_text(*colour);
  each.unknown_fields = value.unknown(known);
  return each;
}

/// Sets each node's name if it is unique; a name shared by several nodes is their kind.
inline void read_dnn_names(const json_elements& nodes, std::vector<layer>& layers) {
  std::vector<std::string> names(layers.size());
  std::map<std::string_view, std::size_t> count;
  for (std::size_t v = 0; v < layers.size(); ++v) {
    if (const auto name = nodes[v].find("name")) names[v] = name->text();
    ++count[names[v]];
  }
  for (std::size_t v = 0; v < layers.size(); ++v) {
    if (names[v].empty()) continue;
    (count[names[v]] == 1 ? layers[v].name : layers[v].kind) = names[v];
  }
}

/// Reads the edges, and the output that every node sends along all of them.
inline void read_dnn_edges(const json_value& value, const std::map<std::string, std::size_t>& numbers, profile& model) {
  std::vector<double> costs(model.layers.size(), -1);
  for (const json_value& element : value.elements()) {
    const auto end = [&](std::string_view key) {
      const json_value id = element.at(key);
      const auto found = numbers.find(label_text(id));
      if (found == numbers.end()) id.fail("there is no node of id ", id.shown());
      return found->second;
    };
    const std::size_t from = end("sourceId");
    model.edges.push_back({from, end("destId")});
    const json_value cost = element.at("cost");
    const double amount = cost.amount();
    if (costs[from] < 0) {
      costs[from] = amount;
      model.layers[from].output = amount / 1000 * dnn_bandwidth;
      if (!is_finite(model.layers[from].output)) cost.fail(cost.shown(), " is out of range");
    } else if (std::abs(amount - costs[from]) > 1e-6) {
      cost.fail(cost.shown(), " is not ", json(costs[from]).dump(),
                ", the cost of another edge of its source: a node sends the same along all of them");
    }
  }
  if (model.edges.empty() && model.layers.size() > 1) {
    value.fail("holds no edge, and there are ", std::to_string(model.layers.size()), " nodes");
  }
}

STAGECUT_DECL profile read_dnn_partitioning(const json_value& value) {
  profile model;
  const auto nodes = value.at("nodes").elements();
  const auto keys = both_keys(dnn_node_keys, layer_keys);
  std::map<std::string, std::size_t> numbers;
  model.layers.reserve(nodes.size());
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    model.layers.push_back(read_dnn_node(nodes[v].object(), keys));
    if (numbers.emplace(model.layers[v].name, v).second) continue;
    nodes[v].at("id").fail(nodes[v].at("id").shown(), " is the id of another node, too");
  }
  if (model.layers.empty()) value.at("nodes").fail("names no node");
  read_dnn_names(nodes, model.layers);
  read_dnn_edges(value.at("edges"), numbers, model);
  if (const auto name = value.find("name")) model.name = name->text();
  model.machine.devices = value.at("maxFPGAs").count(1);
  if (const auto cpus = value.find("maxCPUs")) model.machine.cpus = cpus->count();
  if (const auto memory = value.find("maxSizePerFPGA")) model.machine.memory = memory->amount();
  model.machine.link = {0, dnn_bandwidth};
  model.machine.buffers = false;
  model.unknown_fields = value.unknown(both_keys(dnn_graph_keys, profile_keys));
  check_edges(model, [&](std::string_view pointer, std::string_view what, std::string_view problem) {
    value.fail_at(pointer, what, " ", problem);
  });
  return model;
}

}  // namespace detail

STAGECUT_DECL profile parse_dnn_partitioning(std::string_view text, std::string_view source,
                                             const read_limits& limits) {
  const detail::json parsed = detail::parse_json(text, source, limits);
  return detail::read_dnn_partitioning(detail::json_value(parsed, source, limits));
}

}  // namespace stagecut::inline STAGECUT_ABI::io
