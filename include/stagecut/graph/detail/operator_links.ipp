// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/detail/operator_links.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL operator_links::operator_links(const operator_graph& graph) {
  std::vector<operator_edge> pairs;
  for (const operator_edge& each : graph.edges) {
    if (each.from != each.to) pairs.push_back(each);
  }
  const std::size_t n = graph.operators.size();
  consumers_ = listed(n, pairs);
  for (operator_edge& each : pairs) each = {each.to, each.from};
  producers_ = listed(n, pairs);
  pairs.clear();
  for (std::size_t i = 0; i < graph.shared.size(); ++i) {
    for (const std::size_t v : graph.shared[i].operators) pairs.push_back({v, i});
  }
  shared_ = listed(n, pairs);
}

STAGECUT_DECL auto operator_links::listed(std::size_t n, const std::vector<operator_edge>& pairs) -> table {
  return {n, pairs.size(), [&](std::size_t i) { return pairs[i].from; },
          [&](std::size_t i) { return static_cast<std::uint32_t>(pairs[i].to); }};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
