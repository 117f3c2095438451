// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/contraction.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/profile/layer_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL contraction::contraction(const operator_graph& graph, backward_edges backward)
    : element_of_(grouped(graph)) {
  check(graph);
  follow(graph);
  if (backward == backward_edges::lead) follows_.assign(follows_.size(), false);
  fuse(graph);
  number();
  below_ = precedence(elements(), pairs(graph));
}

STAGECUT_DECL contraction contraction::merged(const operator_graph& graph, const std::vector<element>& into) const {
  contraction result = *this;
  for (element& each : result.element_of_) each = into[each];
  result.number();
  result.below_ = precedence(result.elements(), result.pairs(graph));
  return result;
}

STAGECUT_DECL auto contraction::grouped(const operator_graph& graph) -> std::vector<element> {
  const std::vector<graph_operator>& all = graph.operators;
  std::vector<std::pair<std::size_t, element>> members;
  std::vector<element> result(all.size());
  for (std::size_t v = 0; v < all.size(); ++v) {
    result[v] = static_cast<element>(v);
    if (all[v].group != graph_operator::none) members.emplace_back(all[v].group, static_cast<element>(v));
  }
  std::sort(members.begin(), members.end());
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (members[i].first == members[i - 1].first) result[members[i].second] = result[members[i - 1].second];
  }
  return result;
}

STAGECUT_DECL std::vector<precedence::pair> contraction::pairs(const operator_graph& graph) const {
  std::vector<precedence::pair> result;
  for (const operator_edge& edge : graph.edges) {
    const bool backward = graph.operators[edge.to].is_backward;
    if (backward != graph.operators[edge.from].is_backward) continue;
    if (backward && follows_[edge.from] && follows_[edge.to]) continue;
    const element from = element_of_[edge.from];
    const element to = element_of_[edge.to];
    result.push_back(backward ? std::pair(to, from) : std::pair(from, to));
  }
  return result;
}

STAGECUT_DECL void contraction::check(const operator_graph& graph) const {
  const std::size_t n = graph.operators.size();
  layer_graph given(n);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const operator_edge& each = graph.edges[i];
    for (const std::size_t end : {each.from, each.to}) {
      if (end >= n)
        detail::fail(invalid_input(detail::joined({"edge ", i}), detail::joined({"there is no operator ", end})));
    }
    if (graph.operators[each.from].is_backward && !graph.operators[each.to].is_backward) {
      detail::fail(invalid_input(detail::joined({"edge ", i}), "leads from the backward to the forward pass"));
    }
    if (element_of_[each.from] == element_of_[each.to]) continue;
    given.join(each.from, each.to);
  }
  if (const auto cycle = given.cycle(); !cycle.empty()) detail::fail(detail::cycle_error(cycle, "operator"));
}

STAGECUT_DECL void contraction::follow(const operator_graph& graph) {
  const std::size_t n = element_of_.size();
  std::vector<bool> forward(n);
  for (std::size_t v = 0; v < n; ++v) {
    if (!graph.operators[v].is_backward) forward[element_of_[v]] = true;
  }
  follows_.resize(n);
  for (std::size_t v = 0; v < n; ++v) follows_[v] = forward[element_of_[v]];
}

STAGECUT_DECL void contraction::fuse(const operator_graph& graph) {
  const std::size_t n = element_of_.size();
  std::vector<precedence::pair> edges = pairs(graph);
  std::sort(edges.begin(), edges.end());
  using graph_t = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                     boost::no_property, element, std::size_t>;
  const graph_t classes(boost::edges_are_sorted, edges.begin(), edges.end(), static_cast<element>(n));
  std::vector<element> component(n);
  boost::strong_components(classes,
                           boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, classes)));
  for (element& each : element_of_) each = component[each];
}

STAGECUT_DECL void contraction::number() {
  const std::size_t n = element_of_.size();
  std::vector<element> number(n, static_cast<element>(n));
  element count = 0;
  for (element& each : element_of_) {
    if (number[each] == n) number[each] = count++;
    each = number[each];
  }
  operators_ = {count, n, [this](std::size_t v) { return element_of_[v]; }, [](std::size_t v) { return v; }};
}

}  // namespace stagecut::inline STAGECUT_ABI
