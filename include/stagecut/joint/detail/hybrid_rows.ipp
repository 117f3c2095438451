// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/hybrid_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Plans as lists of edges: the stages of a path through the graph.
using hybrid_path = std::vector<std::uint32_t>;

STAGECUT_DECL double hybrid_rows::least(const hybrid_graph& graph, const std::vector<double>& weights) {
  price(graph, weights);
  behind_.assign(graph.nodes.size(), beyond_time);
  for (std::size_t u = graph.nodes.size(); u-- > 0;) {
    double best = graph.nodes[u].step == graph.steps ? 0 : beyond_time;
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      const double here = cost_[i] + behind_[graph.edges[i].to];
      best = std::min(best, here);
    }
    behind_[u] = best;
  }
  double best = beyond_time;
  for (std::size_t u = 0; u < graph.nodes.size() && graph.nodes[u].step == 0; ++u) {
    best = std::min(best, behind_[u]);
  }
  return best;
}

STAGECUT_DECL void hybrid_rows::least_plan(const hybrid_graph& graph, std::vector<std::uint32_t>& options) const {
  std::uint32_t u = 0;
  for (std::uint32_t v = 0; v < graph.nodes.size() && graph.nodes[v].step == 0; ++v) {
    if (behind_[v] < behind_[u]) u = v;
  }
  options.clear();
  while (graph.nodes[u].step != graph.steps) {
    std::uint32_t next = graph.first[u];
    double best = beyond_time;
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      const double here = cost_[i] + behind_[graph.edges[i].to];
      if (here < best) best = here, next = i;
    }
    options.push_back(next);
    u = graph.edges[next].to;
  }
}

STAGECUT_DECL void hybrid_rows::raise(hybrid_graph& graph) {
  before_.assign(graph.nodes.size(), beyond_time);
  for (std::size_t u = 0; u < graph.nodes.size(); ++u) {
    if (graph.nodes[u].step == 0) before_[u] = 0;
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      hybrid_graph::edge& each = graph.edges[i];
      const double here = before_[u] + cost_[i];
      double& to = before_[each.to];
      to = std::min(to, here);
      const double through = (here + behind_[each.to]) * (1 - 0x1p-40);  // sums were rounded
      each.bound = std::max(each.bound, through);
    }
  }
}

STAGECUT_DECL void hybrid_rows::price(const hybrid_graph& graph, const std::vector<double>& weights) {
  cost_.resize(graph.edges.size());
  for (std::size_t i = 0; i < cost_.size(); ++i) {
    const hybrid_graph::edge& each = graph.edges[i];
    const stage_option& o = options_[each.option];
    const double* const here = weights.data() + graph.nodes[each.from].step * hybrid_kinds;
    cost_[i] = here[hybrid_forward] * o.forward + here[hybrid_backward] * o.backward +
               here[hybrid_message] * o.message + here[hybrid_all_reduce] * o.all_reduce;
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
