// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

using dag_vertex = std::uint32_t;
using dag_weight = std::int64_t;

/// An edge, from a lower to a higher number.
struct dag_edge {
  dag_vertex from;
  dag_vertex to;
  dag_weight weight;
};
using dag_edges = std::vector<dag_edge>;

/// The edges of each vertex in one direction, as compressed rows.
class dag_rows {
 public:
  dag_rows() = default;
  /// Rows from lists of edges, in their order. O(n + m).
  template <bool Reversed>
  static dag_rows of(std::size_t n, const dag_edges& edges) {
    dag_rows result;
    result.end_.assign(n + 1, 0);
    result.to_.resize(edges.size());
    result.weight_.resize(edges.size());
    for (const dag_edge& edge : edges) ++result.end_[(Reversed ? edge.to : edge.from) + std::size_t{1}];
    for (std::size_t v = 0; v < n; ++v) result.end_[v + 1] += result.end_[v];
    std::vector<std::uint32_t> at(result.end_.begin(), result.end_.end() - 1);
    for (const dag_edge& edge : edges) {
      const std::uint32_t i = at[Reversed ? edge.to : edge.from]++;
      result.to_[i] = Reversed ? edge.from : edge.to;
      result.weight_[i] = edge.weight;
    }
    return result;
  }

  /// Calls `visit(other end, weight)` for the edges of a vertex.
  template <class Visit>
  void each(std::size_t v, const Visit& visit) const {
    for (std::size_t i = end_[v]; i < end_[v + 1]; ++i) visit(to_[i], weight_[i]);
  }
  [[nodiscard]] view<const dag_vertex> operator[](std::size_t v) const noexcept {
    return {to_.data() + end_[v], std::size_t{end_[v + 1]} - end_[v]};
  }
  [[nodiscard]] std::size_t entries() const noexcept { return to_.size(); }

 private:
  std::vector<std::uint32_t> end_{0};
  std::vector<dag_vertex> to_{};
  std::vector<dag_weight> weight_{};
};

/// An acyclic graph whose vertices are numbered so that every edge leads upwards.
struct flat_dag {
  std::vector<dag_weight> weight{};  ///< of each vertex
  dag_weight total = 0;              ///< of all
  dag_rows out{};                    ///< edges to higher numbers
  dag_rows in{};                     ///< edges from lower numbers

  flat_dag() = default;
  /// Parallel edges are merged. O(n + m).
  flat_dag(std::vector<dag_weight> weights, dag_edges& edges);

  [[nodiscard]] std::size_t size() const noexcept { return weight.size(); }
  [[nodiscard]] std::size_t edges() const noexcept { return out.entries(); }

 private:
  /// Adds up parallel edges; the first stays.
  void combine(dag_edges& edges) const;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/flat_dag.ipp>
#endif
