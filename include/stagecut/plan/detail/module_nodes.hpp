// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/plan/module_request.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/flatten_modules.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/profile.hpp>

// The modules of a model for assignment: those that have to be together form one node.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Costs of modules: whole multiples of 2^-52 of the model's, so that sums are exact in any order.
using module_ticks = std::int64_t;
inline constexpr double ticks_of_model = 4503599627370496.0;  // 2^52

/// A tree of nodes, each a module or several that are on one device: the root is node 0, and nodes are in the order in
/// which their first modules run.
struct module_nodes {
  std::vector<std::size_t> node_of{};                ///< node of each layer
  std::vector<module_ticks> of_layers{};             ///< cost of each layer without its children
  std::vector<std::vector<std::size_t>> children{};  ///< of each node, in the order in which they run
  std::vector<module_ticks> own{};                   ///< of each node, without its children
  std::vector<module_ticks> cost{};                  ///< of each node, with its subtree
};

/// The cost of each layer without its children, in ticks. Shared parameters count for the layer that runs first.
/// @param order  in which layers run
[[nodiscard]] inline std::vector<module_ticks> layer_ticks(const profile& model, const std::vector<std::size_t>& order,
                                                           const module_request& request) {
  const std::size_t n = model.layers.size();
  std::vector<double> memory(n);
  std::vector<std::size_t> place(n);
  for (std::size_t at = 0; at < n; ++at) place[order[at]] = at;
  struct tie {
    std::size_t layer;
    double bytes;
  };
  std::vector<tie> ties;
  detail::each_tie(model, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
    if (name == ties.size()) ties.push_back({i, tied.bytes});
    if (place[i] < place[ties[name].layer]) ties[name] = {i, tied.bytes};
  });
  for (const tie& each : ties) memory[each.layer] += each.bytes;
  double all_memory = 0;
  double all_time = 0;
  for (const std::size_t i : order) {
    const layer& each = model.layers[i];
    memory[i] = as_computed((memory[i] + each.parameters) * request.parameter_multiplier);
    if (request.activations) memory[i] += each.activations;
    all_memory += memory[i];
    all_time += each.time();
    if (is_finite(all_memory) && is_finite(all_time)) continue;
    fail(invalid_input(layer_text(model, i), "the sum of times or bytes up to it is out of range"));
  }
  // If no layer has one of the two, the other counts fully.
  const double weight = 1 - request.time_weight;  // of memory; time has 1 - weight, so both add up to exactly 1
  const bool known = (all_memory > 0 && weight > 0) || (all_time > 0 && weight < 1);
  if (!known)
    fail(invalid_input("model", weight == 0   ? "no layer has a time"
                                : weight == 1 ? "no layer has bytes of parameters"
                                              : "no layer has a time or bytes of parameters"));
  const double by_memory = all_memory > 0 ? (all_time > 0 ? weight : 1) : 0;
  const double by_time = all_time > 0 ? (all_memory > 0 ? 1 - weight : 1) : 0;
  std::vector<module_ticks> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double share = as_computed(by_memory * (all_memory > 0 ? memory[i] / all_memory : 0)) +
                         as_computed(by_time * (all_time > 0 ? model.layers[i].time() / all_time : 0));
    result[i] = static_cast<module_ticks>(as_computed(share * ticks_of_model) + 0.5);
  }
  return result;
}

/// Which layers have to be on one device: a union-find forest of links to earlier layers, whose roots represent their
/// set.
class joined_layers {
 public:
  /// @param order  in which layers run
  explicit joined_layers(const std::vector<std::size_t>& order) : place_(order.size()), leader_(order.size()) {
    for (std::size_t at = 0; at < order.size(); ++at) {
      place_[order[at]] = at;
      leader_[at] = at;
    }
  }

  /// The representative of a layer's set: the first of them to run.
  [[nodiscard]] std::size_t first_of(std::size_t layer) {
    while (leader_[layer] != layer) layer = leader_[layer] = leader_[leader_[layer]];
    return layer;
  }
  void join(std::size_t a, std::size_t b) {
    a = first_of(a);
    b = first_of(b);
    if (place_[a] < place_[b])
      leader_[b] = a;
    else
      leader_[a] = b;
  }

 private:
  std::vector<std::size_t> place_;
  std::vector<std::size_t> leader_;
};

/// Joins layers that share parameters, copied or not, and those of a group.
inline void join_layers(const profile& model, const layer_graph& tree, const std::vector<std::size_t>& order,
                        joined_layers& joined) {
  std::vector<std::size_t> first;  // the layer that has the name
  detail::each_tie(model, [&](std::size_t i, const tied_parameters&, std::size_t name) {
    if (name == first.size()) first.push_back(i);
    joined.join(i, first[name]);
  });
  name_numbers names(model.layers.size());
  std::vector<std::string_view> group(model.layers.size());
  first.clear();
  for (const std::size_t i : order) {
    const auto& around = tree.previous(i);
    group[i] = model.layers[i].group;
    if (group[i].empty() && !around.empty()) group[i] = group[around[0]];
    if (group[i].empty()) continue;
    const std::size_t name = names(group[i]);
    if (name == first.size()) first.push_back(i);
    joined.join(i, first[name]);
  }
}

/// Makes the tree of nodes. The parent of a node is the node that contains the parent of its first module; its children
/// are those of all its modules. O(n) without names.
[[nodiscard]] inline module_nodes nodes_of(const profile& model, const layer_graph& tree,
                                           const std::vector<std::size_t>& order, const module_request& request) {
  joined_layers joined(order);
  join_layers(model, tree, order, joined);
  module_nodes result;
  result.of_layers = layer_ticks(model, order, request);
  result.node_of.resize(order.size());
  std::vector<std::size_t> parent;
  for (const std::size_t i : order) {
    const std::size_t leader = joined.first_of(i);
    if (leader == i) {
      const auto& around = tree.previous(i);
      result.node_of[i] = parent.size();
      parent.push_back(around.empty() ? 0 : result.node_of[around[0]]);
      result.own.push_back(0);
    } else {
      result.node_of[i] = result.node_of[leader];
    }
    result.own[result.node_of[i]] += result.of_layers[i];
  }
  result.children.resize(parent.size());
  result.cost = result.own;
  for (std::size_t v = 1; v < parent.size(); ++v) result.children[parent[v]].push_back(v);
  for (std::size_t v = parent.size(); v-- > 1;) result.cost[parent[v]] += result.cost[v];
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
