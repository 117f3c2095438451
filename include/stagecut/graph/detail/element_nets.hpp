// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What a producer puts out, or several that speak with the same elements: a stage pays for it if it holds some of the
/// elements and not all of them.
struct net_weight {
  double forward = 0;   ///< seconds, of the forward pass
  double backward = 0;  ///< likewise
  double bytes = 0;     ///< of what is put out
};

/// The nets of a graph: of each producer one, with its element and those of its consumers; equal ones are summed.
struct element_nets {
  rows<precedence::element> pins{};   ///< of every net, in ascending order, two at least
  std::vector<net_weight> weights{};  ///< of every net

  element_nets(const operator_graph& graph, const contraction& parts) {
    const auto all = rows_of(graph, parts);
    std::vector<std::uint32_t> order;  // of those that speak with others, by whom they speak with
    for (std::size_t u = 0; u < all.size(); ++u) {
      if (all[u].size() > 1) order.push_back(static_cast<std::uint32_t>(u));
    }
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      return std::lexicographical_compare(all[a].begin(), all[a].end(), all[b].begin(), all[b].end());
    };
    std::stable_sort(order.begin(), order.end(), less);
    for (std::size_t i = 0; i < order.size();) {
      const std::uint32_t first = order[i];
      net_weight sum;
      for (; i < order.size() && !less(first, order[i]); ++i) {
        const graph_operator& from = graph.operators[order[i]];
        (from.is_backward ? sum.backward : sum.forward) += from.sent + graph.latency;
        if (!from.is_backward) sum.bytes += from.output;
        if (from.sent_back > 0 || graph.sends_back) sum.backward += from.sent_back + graph.latency;
      }
      if (sum.forward == 0 && sum.backward == 0 && sum.bytes == 0) continue;
      pins.push_back(all[first]);
      weights.push_back(sum);
    }
  }

 private:
  /// Of every operator, its element and those of its consumers, in ascending order.
  static rows<precedence::element> rows_of(const operator_graph& graph, const contraction& parts) {
    const std::size_t n = graph.operators.size();
    const rows<precedence::element> consumers{n, graph.edges.size(), [&](std::size_t i) { return graph.edges[i].from; },
                                              [&](std::size_t i) { return parts.element_of(graph.edges[i].to); }};
    rows<precedence::element> result;
    std::vector<precedence::element> row;
    for (std::size_t u = 0; u < n; ++u) {
      row.assign(1, parts.element_of(u));
      row.insert(row.end(), consumers[u].begin(), consumers[u].end());
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      result.push_back(row);
    }
    return result;
  }
};

/// Of every shared copy of parameters, the elements that need it.
[[nodiscard]] inline rows<precedence::element> sharing_elements(const operator_graph& graph, const contraction& parts) {
  rows<precedence::element> result;
  for (const shared_parameters& each : graph.shared) {
    std::vector<precedence::element> row;
    for (const std::size_t v : each.operators) row.push_back(parts.element_of(v));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    result.push_back(row);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
