// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/dag_coarsening.hpp>
#include <stagecut/graph/detail/dag_orders.hpp>
#include <stagecut/graph/detail/dag_parts.hpp>
#include <stagecut/graph/detail/edge_cut_moves.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Graphs that become smaller, merged by rounds without a search, each in another order.
class dag_hierarchy {
 public:
  /// @param graph   must outlive this object
  /// @param part    of every vertex; only those of one part merge; empty: all are of one
  /// @param target  vertices that are few enough
  /// @param most    that merged vertices weigh
  /// @param first   which kind of order is the first
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
  /// @param parts  of the coarsest; becomes that of the graph
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
