// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A precedence edge: one vertex is before another, with the cost of separating the two.
struct weighted_edge {
  std::uint32_t from = 0;   ///< the first vertex, from 0
  std::uint32_t to = 0;     ///< the second vertex
  std::int64_t weight = 1;  ///< not negative
};

/// A directed acyclic graph with vertex and edge weights, in compact form: the input of `multilevel`. At most 56 bytes
/// per vertex and 24 per edge.
class weighted_dag {
 public:
  /// A vertex, from 0.
  using vertex = std::uint32_t;

  /// Empty: no vertices.
  weighted_dag() = default;

  /// @param weights  of each vertex, not negative
  /// @param edges    between them, in any order; weights of parallel edges are added, and loops are ignored
  /// @param outputs  of each vertex, not negative: what a part pays for the vertex's output if it holds the vertex but
  ///                 not all heads of its edges, or some heads but not the vertex; empty: nothing
  /// @throws         argument_error for 2^32 - 1 vertices or edges or more, and unless there are as many outputs as
  ///                 vertices; invalid_input with `edge I` for a vertex that does not exist, `edge I`, `vertex V` or
  ///                 `output V` for a weight below 0, with the vertices of a cycle, and if all weights add up to 2^61
  ///                 or more. O(n log n + m log m), and O(n + m) if every edge leads to a higher number
  weighted_dag(view<const std::int64_t> weights, view<const weighted_edge> edges,
               view<const std::int64_t> outputs = {});

  /// Number of vertices.
  [[nodiscard]] std::size_t size() const noexcept { return flat_.size(); }
  /// Number of edges; parallel edges count once.
  [[nodiscard]] std::size_t edges() const noexcept { return flat_.edges(); }
  /// Sum of the vertices' weights.
  [[nodiscard]] std::int64_t weight() const noexcept { return flat_.total; }
  /// The vertex at each position of the order of `flat`.
  [[nodiscard]] view<const vertex> order() const noexcept { return order_; }
  /// What parts pay for the output of the vertex at each position; empty: nothing.
  [[nodiscard]] view<const std::int64_t> outputs() const noexcept { return outputs_; }
  /// The graph with vertices renumbered by that order: every edge leads upwards.
  [[nodiscard]] const detail::flat_dag& flat() const noexcept { return flat_; }

 private:
  static void check(view<const std::int64_t> weights, view<const weighted_edge> edges,
                    view<const std::int64_t> outputs);

  /// The position of each vertex; writes `order_`.
  std::vector<vertex> positions(std::size_t n, view<const weighted_edge> edges);

  std::vector<vertex> order_{};
  std::vector<std::int64_t> outputs_{};
  detail::flat_dag flat_{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/weighted_dag.ipp>
#endif
