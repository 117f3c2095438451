// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/as_chain.hpp>

#include <bit>
#include <cstddef>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL bool costs(const layer& each) {
  bool any = each.time() > 0 || each.parameters > 0 || each.resident.value_or(0) > 0;
  for (const tied_parameters& tied : each.tied) any = any || tied.bytes > 0 || tied.resident.value_or(0) > 0;
  return any;
}

STAGECUT_DECL layer_graph edges_of(const profile& graph) {
  const std::size_t n = graph.layers.size();
  layer_graph edges(n);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    for (const std::size_t end : {graph.edges[e].from, graph.edges[e].to}) {
      if (end < n) continue;
      fail(invalid_input(joined({"edge ", e}), joined({"there is no layer ", end})));
    }
    edges.join(graph.edges[e].from, graph.edges[e].to);
  }
  return edges;
}

STAGECUT_DECL parted_layers find_parted_layers(const profile& graph, const layer_graph& edges,
                                               const std::vector<std::size_t>& order) {
  std::vector<std::size_t> reached(edges.size());  // longest number of costly layers on a path to a layer
  std::size_t costly = 0;
  std::size_t before = 0;
  for (const std::size_t v : order) {
    for (const std::size_t u : edges.previous(v)) {
      if (reached[u] > reached[v]) reached[v] = reached[u];
    }
    if (!costs(graph.layers[v])) continue;
    if (reached[v] != costly) return {before, v};
    reached[v] = ++costly;
    before = v;
  }
  return {0, edges.size()};
}

STAGECUT_DECL void check_order(const profile& graph, const layer_graph& edges, const std::vector<std::size_t>& order) {
  const auto [first, second] = find_parted_layers(graph, edges, order);
  if (second == edges.size()) return;
  refuse_layer(graph, second, "not a chain: no path joins ", in_quotes(graph.layers[first].name), " and ",
               in_quotes(graph.layers[second].name), ", which both take time or hold parameters");
}

STAGECUT_DECL void check_groups(const profile& graph, const std::vector<std::size_t>& order) {
  const auto group = [&](std::size_t i) -> std::string_view { return graph.layers[order[i]].group; };
  const std::size_t again = find_parted_group(order.size(), group).again;
  if (again == order.size()) return;
  refuse_layer(graph, order[again], "not a chain: ", in_quotes(graph.layers[order[again - 1]].name),
               " stands between it and others of group ", in_quotes(group(again)));
}

/// A sum of numbers that may change, as a tree of sums: numbers that were replaced leave no rounding error.
class changing_sum {
 public:
  explicit changing_sum(std::size_t size) : leaves_(std::bit_ceil(size)), sums_(2 * leaves_) {}

  /// The sum after number i is set to `value`.
  double put(std::size_t i, double value) {
    sums_[i += leaves_] = value;
    while ((i /= 2) != 0) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
    return sums_[1];
  }

 private:
  std::size_t leaves_;
  std::vector<double> sums_;
};

STAGECUT_DECL void add_crossing(const profile& graph, const layer_graph& edges, const std::vector<std::size_t>& order,
                                std::vector<layer>& chain) {
  const std::size_t n = order.size();
  std::vector<std::size_t> position(n);
  for (std::size_t i = 0; i < n; ++i) position[order[i]] = i;
  std::vector<std::vector<std::size_t>> ends(n);  // layers whose last consumer is at each position
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t last = i;
    for (const std::size_t to : edges.next(order[i])) last = position[to] > last ? position[to] : last;
    if (last != i) ends[last].push_back(i);
  }
  changing_sum alive(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    for (const std::size_t gone : ends[i]) alive.put(gone, 0);
    const auto crossing = [&](double output) {
      const double sum = alive.put(i, edges.next(order[i]).empty() ? 0 : output);
      if (is_finite(sum)) return sum;
      refuse_layer(graph, order[i], "the sum of what crosses a cut behind it is out of range");
    };
    for (layer_variant& variant : chain[i].recomputations) variant.output = crossing(variant.output);
    for (layer_variant& variant : chain[i].shardings) variant.output = crossing(variant.output);
    chain[i].output = crossing(chain[i].output);
  }
}

}  // namespace detail

STAGECUT_DECL bool is_chain(const profile& graph) {
  if (graph.edges.empty()) return true;
  const layer_graph edges = detail::edges_of(graph);
  const std::vector<std::size_t> order = detail::chain_order(graph, edges);
  if (order.size() != edges.size()) return true;
  if (detail::find_parted_layers(graph, edges, order).second != edges.size()) return false;
  const auto group = [&](std::size_t i) -> std::string_view { return graph.layers[order[i]].group; };
  return detail::find_parted_group(order.size(), group).again == order.size();
}

STAGECUT_DECL profile as_chain(profile graph) {
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    if (graph.layers[i].children.empty()) continue;
    detail::refuse_layer(graph, i, "has children: the model is a module tree, not a chain");
  }
  if (graph.edges.empty()) return graph;
  const layer_graph edges = detail::edges_of(graph);
  const std::vector<std::size_t> order = detail::chain_order(graph, edges);
  if (order.size() != edges.size()) {
    const std::vector<std::size_t> cycle = edges.cycle();
    detail::refuse_layer(graph, cycle[0], detail::cycle_text(graph.layers, cycle), " is a cycle");
  }
  detail::check_order(graph, edges, order);
  detail::check_groups(graph, order);
  profile chain = graph;
  chain.edges.clear();
  for (std::size_t i = 0; i < order.size(); ++i) chain.layers[i] = graph.layers[order[i]];
  detail::add_crossing(graph, edges, order, chain.layers);
  return chain;
}

}  // namespace stagecut::inline STAGECUT_ABI
