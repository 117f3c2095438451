// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/make_operator_graph.hpp>

#include <algorithm>
#include <tuple>
#include <vector>

#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::vector<operator_edge> sorted_edges(std::vector<operator_edge> edges) {
  std::stable_sort(edges.begin(), edges.end(), [](const operator_edge& a, const operator_edge& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  const auto merge = [](const operator_edge& a, const operator_edge& b) { return !a.tensor && a == b; };
  edges.erase(std::unique(edges.begin(), edges.end(), merge), edges.end());
  return edges;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
