// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/dag_orders.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// One graph of a hierarchy, and into what the vertices of the one before went.
struct dag_level {
  flat_dag graph{};
  std::vector<dag_vertex> into{};
};

/// Merges vertices into stars so that the graph stays without cycles, without a search: in an order in which edges lead
/// onwards, each vertex that merges joins the first of its successors; or, backwards, each the last of its predecessors.
/// What is joined stays where it is, and all others move the same way, so that the order of the centres is one of the
/// merged graph: an edge of u leads to nothing in front of the first successor of u (docs/graph_methods.md, "Merging without a
/// search").
class dag_coarsening {
 public:
  /// @param graph  must outlive this object
  /// @param part   of every vertex; only those of one part merge; empty: all are of one
  dag_coarsening(const flat_dag& graph, const std::vector<std::uint32_t>& part) : graph_(graph), part_(part) {}

  /// One round.
  /// @param order      in which edges lead onwards
  /// @param backwards  whether vertices join their last predecessor
  /// @param most       that merged vertices weigh
  [[nodiscard]] dag_level round(const dag_order& order, bool backwards, dag_weight most) const {
    const std::size_t n = graph_.size();
    std::vector<std::uint32_t> place(n);
    for (std::size_t i = 0; i < n; ++i) place[order[i]] = static_cast<std::uint32_t>(i);
    std::vector<dag_vertex> centre(n, none);
    std::vector<dag_weight> weight = graph_.weight;
    for (std::size_t i = 0; i < n; ++i) {
      const dag_vertex v = order[backwards ? n - 1 - i : i];
      if (centre[v] != none) continue;  // a centre
      const dag_vertex to = nearest(v, place, backwards);
      const bool joins =
          to != none && (centre[to] == none || centre[to] == to) && same_part(v, to) && weight[to] + weight[v] <= most;
      if (!joins) continue;
      centre[v] = centre[to] = to;
      weight[to] += weight[v];
    }
    return merged(order, centre);
  }

 private:
  static constexpr dag_vertex none = std::numeric_limits<dag_vertex>::max();

  [[nodiscard]] bool same_part(dag_vertex a, dag_vertex b) const { return part_.empty() || part_[a] == part_[b]; }

  /// The first successor of a vertex in the order, or its last predecessor.
  [[nodiscard]] dag_vertex nearest(dag_vertex v, const std::vector<std::uint32_t>& place, bool backwards) const {
    dag_vertex result = none;
    if (backwards) {
      for (const dag_vertex u : graph_.in[v]) {
        if (result == none || place[u] > place[result]) result = u;
      }
    } else {
      for (const dag_vertex u : graph_.out[v]) {
        if (result == none || place[u] < place[result]) result = u;
      }
    }
    return result;
  }

  /// The graph of the centres, numbered in their order.
  [[nodiscard]] dag_level merged(const dag_order& order, const std::vector<dag_vertex>& centre) const {
    const std::size_t n = graph_.size();
    dag_level result;
    result.into.resize(n);
    dag_vertex count = 0;
    for (const dag_vertex v : order) {
      if (centre[v] == none || centre[v] == v) result.into[v] = count++;
    }
    for (std::size_t v = 0; v < n; ++v) {
      if (centre[v] != none && centre[v] != v) result.into[v] = result.into[centre[v]];
    }
    std::vector<dag_weight> weight(count, 0);
    dag_edges edges;
    edges.reserve(graph_.edges());
    for (std::size_t v = 0; v < n; ++v) {
      const dag_vertex from = result.into[v];
      weight[from] += graph_.weight[v];
      graph_.out.each(v, [&](dag_vertex to, dag_weight each) {
        if (result.into[to] != from) edges.push_back({from, result.into[to], each});
      });
    }
    result.graph = flat_dag(std::move(weight), edges);
    return result;
  }

  const flat_dag& graph_;
  const std::vector<std::uint32_t>& part_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
