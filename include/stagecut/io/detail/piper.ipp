// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/graphs/piper.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// A key of an object that is an integer below 10^9.
[[nodiscard]] inline std::size_t number_key(std::string_view key, const json_value& member) {
  std::size_t number = 0;
  bool is_number = !key.empty() && key.size() < 10 && (key[0] != '0' || key.size() == 1);
  for (const char c : key) {
    is_number = is_number && c >= '0' && c <= '9';
    if (is_number) number = 10 * number + static_cast<std::size_t>(c - '0');
  }
  if (!is_number) member.fail("its key is no whole number below 10^9");
  return number;
}

STAGECUT_DECL bool is_piper(const json& parsed) {
  return parsed.is_object() && !parsed.contains("schema") && parsed.contains("nodes") &&
         (parsed.contains("maxMemoryPerDevice") || parsed.contains("maxDevices"));
}

/// Reads one of Piper's graphs.
class piper_reader {
 public:
  explicit piper_reader(const json_value& whole) : whole_(whole) {}

  [[nodiscard]] variant_graph read() {
    made_.memory = whole_.at("maxMemoryPerDevice").amount();
    made_.devices = whole_.at("maxDevices").count(1);
    const auto other = whole_.find("mbsInBatch") ? std::nullopt : whole_.find("maxBatchSize");
    made_.microbatches = (other ? *other : whole_.at("mbsInBatch")).count(1);
    const json_value bandwidth = whole_.at("bandwidth");
    made_.bandwidth = bandwidth.amount();
    if (made_.bandwidth == 0) bandwidth.fail("0: nothing would be sent");
    const json_elements nodes = whole_.at("nodes").elements();
    for (const json_value& node : nodes) {
      const json_value id = node.at("id");
      made_.layers.emplace_back();
      made_.layers.back().id = id.count();
      if (const auto name = node.find("name")) made_.layers.back().name = name->text();
      if (!numbers_.emplace(made_.layers.back().id, made_.layers.size() - 1).second) {
        id.fail(id.shown(), " is the id of another node, too");
      }
    }
    if (made_.layers.empty()) whole_.at("nodes").fail("names no node");
    read_edges();
    for (std::size_t v = 0; v < made_.layers.size(); ++v) read_layer(nodes[v].at("TMPCs"), v);
    return std::move(made_);
  }

 private:
  void read_edges() {
    in_.resize(made_.layers.size());
    out_.resize(made_.layers.size());
    std::set<std::pair<std::size_t, std::size_t>> known;
    layer_graph graph(made_.layers.size());
    const json_value edges = whole_.at("edges");
    for (const json_value& element : edges.elements()) {
      const auto end = [&](std::string_view key) {
        const json_value id = element.at(key);
        const auto found = numbers_.find(id.count());
        if (found == numbers_.end()) id.fail("there is no node of id ", id.shown());
        return found->second;
      };
      variant_edge each;
      each.from = end("sourceId");
      each.to = end("destId");
      each.bytes = element.at("communicationCost").amount();
      if (each.from == each.to) element.fail("leads from a node to itself");
      if (!known.emplace(each.from, each.to).second) element.fail("stands twice");
      out_[each.from].emplace(made_.layers[each.to].id, out_[each.from].size());
      in_[each.to].emplace(made_.layers[each.from].id, in_[each.to].size());
      graph.join(each.from, each.to);
      made_.edges.push_back(each);
    }
    const std::vector<std::size_t> cycle = graph.cycle();
    if (!cycle.empty()) {
      edges.fail("a cycle of ", std::to_string(cycle.size()), " nodes leads through the one of id ",
                 std::to_string(made_.layers[cycle[0]].id));
    }
  }

  void read_layer(const json_value& from, std::size_t v) {
    from.each_member([&](std::string_view key, const json_value& member) {
      divided_layer divided;
      divided.tensor_parallel = number_key(key, member);
      if (divided.tensor_parallel == 0 || divided.tensor_parallel > 1'000'000) member.fail("is for no number of devices from 1 to 1000000");
      std::set<std::string> names;
      for (const json_value& element : member.elements()) {
        divided.variants.push_back(read_variant(element, v));
        if (names.insert(divided.variants.back().name).second) continue;
        element.at("id").fail(element.at("id").shown(), " is the id of another one, too");
      }
      made_.layers[v].divided.push_back(std::move(divided));
    });
  }

  [[nodiscard]] run_variant read_variant(const json_value& from, std::size_t v) const {
    run_variant made;
    made.name = from.at("id").text();
    if (made.name.empty()) from.at("id").fail("is empty");
    made.time = from.at("timePerSample").amount();
    made.parameters = from.at("parameterSize").amount();
    made.activations = from.at("memoryUsageA").amount();
    made.resident = from.at("memoryUsageB").amount();
    made.received_bytes = read_sync(from.at("syncTimeFw"), in_[v]);
    made.sent_bytes = read_sync(from.at("syncTimeBw"), out_[v]);
    return made;
  }

  /// Bytes of each edge, by the id at its other end.
  [[nodiscard]] static std::vector<double> read_sync(const json_value& from,
                                                     const std::map<std::size_t, std::size_t>& edges) {
    std::vector<double> bytes(edges.size(), -1);
    from.each_member([&](std::string_view key, const json_value& member) {
      const auto found = edges.find(number_key(key, member));
      if (found == edges.end()) member.fail("there is no such edge");
      bytes[found->second] = member.amount();
    });
    for (const auto& [id, place] : edges) {
      if (bytes[place] < 0) from.fail("the edge from or to node ", std::to_string(id), " is missing");
    }
    return bytes;
  }

  const json_value& whole_;
  variant_graph made_{};
  std::map<std::size_t, std::size_t> numbers_{};           // of layers by id
  std::vector<std::map<std::size_t, std::size_t>> in_{};   // incoming edges of each layer by the id at the other end
  std::vector<std::map<std::size_t, std::size_t>> out_{};  // outgoing edges of each layer by the id at the other end
};

}  // namespace detail

STAGECUT_DECL bool is_piper(std::string_view text, const read_limits& limits) {
  if (text.find("\"maxMemoryPerDevice\"") == std::string_view::npos &&
      text.find("\"maxDevices\"") == std::string_view::npos)
    return false;
  try {
    return detail::is_piper(detail::parse_json(text, "", limits));
  } catch (const invalid_input&) {
    return false;
  }
}

STAGECUT_DECL variant_graph parse_piper(std::string_view text, std::string_view source, const read_limits& limits) {
  const detail::json parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  return detail::piper_reader(whole).read();
}

}  // namespace stagecut::inline STAGECUT_ABI::io
