// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Parts of a graph with their weights; every edge leads to the same or a later part.
struct dag_parts {
  std::vector<std::uint32_t> part{};  ///< of each vertex
  std::vector<dag_weight> most{};     ///< weight limit of each part
  std::vector<dag_weight> load{};     ///< weight of each part
  dag_weight cut = 0;                 ///< of the edges between parts

  [[nodiscard]] std::size_t count() const noexcept { return most.size(); }
  /// Weight above the limits, over all parts.
  [[nodiscard]] dag_weight excess() const noexcept {
    dag_weight result = 0;
    for (std::size_t p = 0; p < load.size(); ++p) result += load[p] > most[p] ? load[p] - most[p] : 0;
    return result;
  }
  /// Recomputes loads and the cut from `part`. O(n + m).
  void reckon(const flat_dag& graph) {
    load.assign(most.size(), 0);
    cut = 0;
    for (std::size_t v = 0; v < graph.size(); ++v) {
      load[part[v]] += graph.weight[v];
      graph.out.each(v, [&](dag_vertex to, dag_weight weight) { cut += part[to] != part[v] ? weight : 0; });
    }
  }
  /// Whether the excess is smaller, or equal and the cut is smaller.
  [[nodiscard]] bool better_than(const dag_parts& other) const noexcept {
    const dag_weight mine = excess();
    const dag_weight theirs = other.excess();
    return mine != theirs ? mine < theirs : cut < other.cut;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
