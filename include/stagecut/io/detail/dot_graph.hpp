// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_profile.hpp>
#include <stagecut/io/detail/dot_names.hpp>
#include <stagecut/io/detail/json_layer.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>

// Converts the nodes and edges of a text in DOT to a profile.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Collects nodes and edges.
class dot_graph {
 public:
  /// @param source  the text's name in errors
  explicit dot_graph(std::string_view source) : words_(source), source_(source) {}

  /// The number of a node, created on first use.
  std::size_t number(const std::string& name, std::size_t line) {
    const auto [found, fresh] = numbers_.emplace(name, nodes_.size());
    if (!fresh) return found->second;
    dot_node& node = nodes_.emplace_back();
    node.each.name = name;
    node.line = line;
    return found->second;
  }

  /// An attribute of a node.
  void put(std::size_t node, const dot_attribute& given) { words_.put(nodes_[node], given); }
  /// An attribute of the graph.
  void put(const dot_attribute& given) { words_.put(model_.machine, given); }
  /// Sets the name of the graph.
  void name(std::string text) { model_.name = std::move(text); }

  /// Adds an edge; `weight` is the attribute for what is sent along it, or null.
  void join(std::size_t from, std::size_t to, std::size_t line, const dot_attribute* weight) {
    edges_.push_back({from, to, line});
    if (weight == nullptr) return;
    dot_node& node = nodes_[from];
    const double bytes = words_.number(*weight);
    if (node.sent.value_or(bytes) != bytes) {
      refuse(weight->line, joined({"the weight differs from another edge out of ", in_quotes(node.each.name),
                                   ": a node sends the same along all of them"}));
    }
    node.sent = bytes;
  }

  /// The graph.
  /// @param strict  duplicate edges are merged
  [[nodiscard]] profile take(bool strict) {
    if (nodes_.empty()) fail(invalid_input(source_, "names no node"));
    if (edges_.empty() && nodes_.size() > 1) {
      fail(invalid_input(source_, joined({"names ", nodes_.size(), " nodes, and no edge"})));
    }
    for (dot_node& node : nodes_) finish(node);
    stagecut::layer_graph graph(nodes_.size());
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (const auto& [from, to, line] : edges_) {
      const std::string ends = joined({in_quotes(nodes_[from].each.name), " to ", in_quotes(nodes_[to].each.name)});
      if (from == to) refuse(line, joined({"an edge leads from ", ends}));
      const bool fresh = known.emplace(from, to).second;
      if (!fresh && !strict) refuse(line, joined({"the edge from ", ends, " stands twice"}));
      if (!fresh) continue;
      graph.join(from, to);
      model_.edges.push_back({from, to});
    }
    for (dot_node& node : nodes_) model_.layers.push_back(std::move(node.each));
    if (const auto cycle = graph.cycle(); !cycle.empty()) {
      refuse(nodes_[cycle[0]].line, joined({stagecut::detail::cycle_text(model_.layers, cycle), " is a cycle"}));
    }
    return std::move(model_);
  }

 private:
  struct edge {
    std::size_t from;
    std::size_t to;
    std::size_t line;
  };

  [[noreturn]] void refuse(std::size_t line, std::string_view problem) const {
    fail(invalid_input(words_.place(line), problem));
  }

  /// Derives the remaining figures of a node.
  void finish(dot_node& node) const {
    layer& each = node.each;
    if (node.sent && node.says_output && *node.sent != each.output) {
      refuse(node.line, joined({"the output of ", in_quotes(each.name), " is not the weight of its edges"}));
    }
    if (node.sent) each.output = *node.sent;
    if (!node.says_backward) each.backward = usual_backward(each);
    if (node.weight && each.forward == 0 && each.backward == 0) {
      (each.is_backward ? each.backward : each.forward) = *node.weight;
    }
    const auto check = [&](std::string_view, std::string_view what, std::string_view problem) {
      refuse(node.line, joined({in_quotes(each.name), ": ", what, " ", problem}));
    };
    check_figures(each, "", check);
    check_pass(each, "", check);
  }

  dot_names words_;
  std::string_view source_;
  std::map<std::string, std::size_t> numbers_{};
  std::vector<dot_node> nodes_{};
  std::vector<edge> edges_{};
  profile model_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
