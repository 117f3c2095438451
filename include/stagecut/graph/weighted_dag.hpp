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

/// That one vertex has to stand in front of another one, and what it costs if the two are parted.
struct weighted_edge {
  std::uint32_t from = 0;   ///< the vertex in front, from 0
  std::uint32_t to = 0;     ///< the other one
  std::int64_t weight = 1;  ///< not negative
};

/// A directed graph without cycles with a weight on each vertex and edge, in compact form: what `multilevel` cuts where
/// the edges that are cut are counted. 56 bytes for a vertex and 24 for an edge at most.
class weighted_dag {
 public:
  /// A vertex, from 0.
  using vertex = std::uint32_t;

  /// No vertex.
  weighted_dag() = default;

  /// @param weights  of every vertex, not negative
  /// @param edges    between them, in any order; of several between the same two the weights are added, and one of a
  ///                 vertex with itself says nothing
  /// @param outputs  of every vertex, not negative: what a part pays for its output that holds the vertex and not all to
  ///                 which its edges lead, or some of these and not the vertex; empty: nothing
  /// @throws         argument_error for 2^32 - 1 vertices or edges or more, and for as many outputs as there are not
  ///                 vertices; invalid_input with `edge I` for a vertex that there is not, `edge I`, `vertex V` or
  ///                 `output V` for a weight below 0, with the vertices of a cycle, and where all weights add up to 2^61
  ///                 or more. O(n log n + m log m), and O(n + m) where every edge leads to a higher number
  weighted_dag(view<const std::int64_t> weights, view<const weighted_edge> edges,
               view<const std::int64_t> outputs = {});

  /// Number of vertices.
  [[nodiscard]] std::size_t size() const noexcept { return flat_.size(); }
  /// Number of edges, several between the same two counted once.
  [[nodiscard]] std::size_t edges() const noexcept { return flat_.edges(); }
  /// Sum of the vertices' weights.
  [[nodiscard]] std::int64_t weight() const noexcept { return flat_.total; }
  /// What stands at each place of the order in which `flat` has them.
  [[nodiscard]] view<const vertex> order() const noexcept { return order_; }
  /// What parts pay for the output of what stands at each place; empty: nothing.
  [[nodiscard]] view<const std::int64_t> outputs() const noexcept { return outputs_; }
  /// The same with the vertices numbered by that order, in which every edge leads upwards.
  [[nodiscard]] const detail::flat_dag& flat() const noexcept { return flat_; }

 private:
  static void check(view<const std::int64_t> weights, view<const weighted_edge> edges,
                    view<const std::int64_t> outputs);

  /// The place of every vertex; writes what stands there.
  std::vector<vertex> positions(std::size_t n, view<const weighted_edge> edges);

  std::vector<vertex> order_{};
  std::vector<std::int64_t> outputs_{};
  detail::flat_dag flat_{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/weighted_dag.ipp>
#endif
