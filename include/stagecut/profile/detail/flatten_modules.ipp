// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/flatten_modules.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL bool has_figures(const layer& each) {
  bool any = each.cpu.value_or(0) > 0 || !each.tied.empty();
  each_figure(each, [&](const char*, const std::optional<double>& figure) { any = any || figure.value_or(0) > 0; });
  return any;
}

STAGECUT_DECL layer_graph module_tree(const profile& model) {
  const std::size_t n = model.layers.size();
  layer_graph tree(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t child : model.layers[i].children) {
      if (child >= n) fail(invalid_input(layer_text(model, i), joined({"there is no layer ", child, " for a child"})));
      if (!tree.previous(child).empty()) {
        fail(invalid_input(
            layer_text(model, child),
            joined({"is a child of ", layer_text(model, tree.previous(child)[0]), " and of ", layer_text(model, i)})));
      }
      tree.join(i, child);
    }
  }
  if (const auto cycle = tree.cycle(); !cycle.empty()) {
    fail(invalid_input(layer_text(model, cycle[0]),
                       joined({cycle_text(model.layers, cycle), " is a cycle of children"})));
  }
  std::size_t root = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (!tree.previous(i).empty()) continue;
    if (root != n) {
      fail(invalid_input(layer_text(model, i),
                         joined({"is no child, nor is ", layer_text(model, root), ": a module tree has one root"})));
    }
    root = i;
  }
  return tree;
}

STAGECUT_DECL std::vector<std::size_t> modules_in_order(const layer_graph& tree) {
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.previous(i).empty()) waiting.push_back(i);
  }
  std::vector<std::size_t> result;
  while (!waiting.empty()) {
    const std::size_t at = waiting.back();
    waiting.pop_back();
    result.push_back(at);
    const auto& children = tree.next(at);
    for (std::size_t c = children.size(); c-- > 0;) waiting.push_back(children[c]);
  }
  return result;
}

STAGECUT_DECL std::vector<std::size_t> leaves_in_order(const profile& model, const std::vector<std::size_t>& order) {
  const std::size_t n = model.layers.size();
  std::vector<bool> has_edge(n);
  for (std::size_t e = 0; e < model.edges.size(); ++e) {
    for (const std::size_t end : {model.edges[e].from, model.edges[e].to}) {
      if (end >= n) fail(invalid_input(joined({"edge ", e}), joined({"there is no layer ", end})));
      has_edge[end] = true;
    }
  }
  std::vector<std::size_t> result;
  for (const std::size_t i : order) {
    if (model.layers[i].children.empty() || has_edge[i] || has_figures(model.layers[i])) result.push_back(i);
  }
  return result;
}

}  // namespace detail

STAGECUT_DECL profile flatten_modules(profile model) {
  bool any = false;
  for (const layer& each : model.layers) any = any || !each.children.empty();
  if (!any) return model;
  const layer_graph tree = detail::module_tree(model);
  const std::vector<std::size_t> order = detail::modules_in_order(tree);
  const std::vector<std::size_t> left = detail::leaves_in_order(model, order);
  for (const std::size_t i : order) {
    for (const std::size_t child : tree.next(i)) {
      layer& within = model.layers[child];
      if (within.group.empty()) within.group = model.layers[i].group;
      if (!within.stage) within.stage = model.layers[i].stage;
    }
  }
  std::vector<layer> leaves;
  std::vector<std::size_t> place(model.layers.size());
  for (const std::size_t i : left) {
    place[i] = leaves.size();
    model.layers[i].children.clear();
    leaves.push_back(std::move(model.layers[i]));
  }
  model.layers = std::move(leaves);
  for (auto& [from, to] : model.edges) {
    from = place[from];
    to = place[to];
  }
  return model;
}

}  // namespace stagecut::inline STAGECUT_ABI
