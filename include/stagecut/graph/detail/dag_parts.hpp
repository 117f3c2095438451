// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Parts of a graph so that every edge leads to the same or a later part, and what they weigh.
struct dag_parts {
  std::vector<std::uint32_t> part{};  ///< of every vertex
  std::vector<dag_weight> most{};     ///< of every part, what it may weigh
  std::vector<dag_weight> load{};     ///< of every part, what it weighs
  dag_weight cut = 0;                 ///< of the edges between parts

  [[nodiscard]] std::size_t count() const noexcept { return most.size(); }
  /// What is too much, over all parts.
  [[nodiscard]] dag_weight excess() const noexcept {
    dag_weight result = 0;
    for (std::size_t p = 0; p < load.size(); ++p) result += load[p] > most[p] ? load[p] - most[p] : 0;
    return result;
  }
  /// Reckons loads and the cut of `part` anew. O(n + m).
  void reckon(const flat_dag& graph) {
    load.assign(most.size(), 0);
    cut = 0;
    for (std::size_t v = 0; v < graph.size(); ++v) {
      load[part[v]] += graph.weight[v];
      graph.out.each(v, [&](dag_vertex to, dag_weight weight) { cut += part[to] != part[v] ? weight : 0; });
    }
  }
  /// Whether less is too much, or as much and less is cut.
  [[nodiscard]] bool better_than(const dag_parts& other) const noexcept {
    const dag_weight mine = excess();
    const dag_weight theirs = other.excess();
    return mine != theirs ? mine < theirs : cut < other.cut;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
