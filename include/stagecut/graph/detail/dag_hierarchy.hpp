// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/dag_orders.hpp>
#include <stagecut/graph/detail/dag_parts.hpp>
#include <stagecut/graph/detail/edge_cut_moves.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// One graph of a hierarchy, and the vertex into which each vertex of the previous one was merged.
struct dag_level {
  flat_dag graph{};
  std::vector<dag_vertex> into{};
};

/// Merges vertices into stars without creating cycles and without a search: in a topological order, each merging vertex
/// joins the first of its successors; or, backwards, each the last of its predecessors. The centres stay in place and
/// all others move in the same direction, so the order of the centres is a topological order of the merged graph: an
/// edge of u leads to nothing before the first successor of u (docs/graph_methods.md, "Merging without a search").
class dag_coarsening {
 public:
  /// @param graph  must outlive this object
  /// @param part   of each vertex; only vertices of the same part merge; empty: one part
  dag_coarsening(const flat_dag& graph, const std::vector<std::uint32_t>& part) : graph_(graph), part_(part) {}

  /// One round.
  /// @param order      a topological order
  /// @param backwards  whether vertices join their last predecessor
  /// @param most       weight limit of merged vertices
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

/// A hierarchy of ever smaller graphs, merged in rounds without a search, each in another order.
class dag_hierarchy {
 public:
  /// @param graph   must outlive this object
  /// @param part    of each vertex; only vertices of the same part merge; empty: one part
  /// @param target  the number of vertices at which merging ends
  /// @param most    weight limit of merged vertices
  /// @param first   the kind of the first order
  dag_hierarchy(const flat_dag& graph, std::vector<std::uint32_t> part, std::size_t target, dag_weight most,
                std::size_t first)
      : graph_(graph), part_(std::move(part)) {
    for (std::size_t kind = first, failed = 0; coarsest().size() > target && failed < 2; ++kind) {
      const flat_dag& fine = coarsest();
      dag_level next = dag_coarsening(fine, part_).round(order_of(fine, kind), kind % 2 == 1, most);
      if (next.graph.size() * 20 > fine.size() * 19) {
        ++failed;
        continue;
      }
      failed = 0;
      if (!part_.empty()) part_ = carried(part_, next);
      levels_.push_back(std::move(next));
    }
  }

  [[nodiscard]] const flat_dag& coarsest() const noexcept { return levels_.empty() ? graph_ : levels_.back().graph; }
  /// The parts of its vertices.
  [[nodiscard]] const std::vector<std::uint32_t>& part() const noexcept { return part_; }

  /// Moves vertices between parts on every level, from the coarsest to the graph itself.
  /// @param parts  of the coarsest graph; becomes those of the graph
  void refine(dag_parts& parts) const {
    edge_cut_moves(coarsest(), parts).run();
    for (std::size_t l = levels_.size(); l-- > 0;) {
      const flat_dag& fine = l == 0 ? graph_ : levels_[l - 1].graph;
      std::vector<std::uint32_t> part(fine.size());
      for (std::size_t v = 0; v < part.size(); ++v) part[v] = parts.part[levels_[l].into[v]];
      parts.part = std::move(part);
      edge_cut_moves(fine, parts).run();
    }
  }

 private:
  static dag_order order_of(const flat_dag& graph, std::size_t kind) {
    switch (kind / 2 % 3) {
      case 0: return as_numbered(graph);
      case 1: return by_level(graph, kind % 2 == 1);
      default: return last_ready_first(graph, kind % 2 == 0);
    }
  }
  static std::vector<std::uint32_t> carried(const std::vector<std::uint32_t>& part, const dag_level& level) {
    std::vector<std::uint32_t> result(level.graph.size());
    for (std::size_t v = 0; v < part.size(); ++v) result[level.into[v]] = part[v];
    return result;
  }

  const flat_dag& graph_;
  std::vector<std::uint32_t> part_;
  std::vector<dag_level> levels_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
