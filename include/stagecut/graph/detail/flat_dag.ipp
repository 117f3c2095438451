// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/detail/flat_dag.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL flat_dag::flat_dag(std::vector<dag_weight> weights, dag_edges& edges) : weight(std::move(weights)) {
  for (const dag_weight each : weight) total += each;
  combine(edges);
  out = dag_rows::of<false>(weight.size(), edges);
  in = dag_rows::of<true>(weight.size(), edges);
}

STAGECUT_DECL void flat_dag::combine(dag_edges& edges) const {
  const std::size_t n = weight.size();
  std::vector<std::uint32_t> end(n + 1, 0);
  for (const dag_edge& edge : edges) ++end[edge.from + std::size_t{1}];
  for (std::size_t v = 0; v < n; ++v) end[v + 1] += end[v];
  std::vector<std::uint32_t> row(edges.size());
  {
    std::vector<std::uint32_t> at(end.begin(), end.end() - 1);
    for (std::size_t i = 0; i < edges.size(); ++i) row[at[edges[i].from]++] = static_cast<std::uint32_t>(i);
  }
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> first(n, none);  // for each vertex, the edge that leads to it from the current one
  bool any = false;
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t i = end[v]; i < end[v + 1]; ++i) {
      dag_edge& each = edges[row[i]];
      std::uint32_t& known = first[each.to];
      if (known != none && edges[known].from == v) {
        edges[known].weight += each.weight;
        each.from = none;
        any = true;
      } else {
        known = row[i];
      }
    }
  }
  if (!any) return;
  std::size_t kept = 0;
  for (const dag_edge& edge : edges) {
    if (edge.from != none) edges[kept++] = edge;
  }
  edges.resize(kept);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
