// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/dag_orders.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>
#include <stagecut/graph/detail/rows.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Costs of parts in addition to their vertices: a part pays for each net with some but not all vertices inside.
struct dag_nets {
  rows<dag_vertex> pins{};           ///< vertices of each net
  std::vector<dag_weight> weight{};  ///< of each net
  rows<std::uint32_t> nets_of{};     ///< of each vertex
};

/// The memory needs of parts.
struct dag_memory {
  std::vector<dag_weight> resident{};     ///< of each vertex; empty: memory has no limit
  std::vector<dag_weight> activations{};  ///< of each vertex, per microbatch
  std::vector<dag_weight> in_flight{};    ///< of each part, microbatches
  dag_weight limit = 0;                   ///< of a part

  /// The memory of a vertex in a part of that number.
  [[nodiscard]] dag_weight of(std::size_t v, std::size_t part) const noexcept {
    return resident.empty() ? 0 : resident[v] + in_flight[part] * activations[v];
  }
};

/// Cuts orders of a graph into parts with the smallest bottleneck.
class order_loads {
 public:
  /// @param graph   with vertex weights
  /// @param nets    of it; both must outlive this object
  /// @param parts   number of parts, none of them empty
  /// @param beside  the cost of each part in addition to its vertices and nets
  /// @param memory  limit that no part exceeds; null: none
  order_loads(const flat_dag& graph, const dag_nets& nets, std::size_t parts, dag_weight beside,
              const dag_memory* memory = nullptr)
      : graph_(graph),
        nets_(nets),
        memory_(memory != nullptr && !memory->resident.empty() ? memory : nullptr),
        parts_(parts),
        beside_(beside),
        first_(nets.pins.size()),
        last_(nets.pins.size()),
        met_(nets.pins.size(), 0),
        place_(graph.size()) {
    const auto count = static_cast<dag_weight>(parts);
    bound_ = (graph.total + count - 1) / count;
    for (const dag_weight weight : graph.weight) bound_ = std::max(bound_, weight);
    bound_ += beside;
  }

  /// A partition.
  struct found {
    std::vector<std::uint32_t> part{};  ///< of each vertex
    dag_weight load = std::numeric_limits<dag_weight>::max();
  };

  /// Lower bound: the average, and the heaviest vertex.
  [[nodiscard]] dag_weight bound() const noexcept { return bound_; }

  /// Cuts an order under a limit on each part, by bisection of the limit down to the bound: each part takes the
  /// farthest end within the limit. O(log(limit) (n + p)) for p pins, or O(n + p) if the best found is not improved. A
  /// heuristic: more vertices may make a part lighter.
  /// @param best  is improved if the order allows it
  bool improve(const dag_order& order, found& best) {
    prepare(order);
    dag_weight low = bound_;
    dag_weight high = best.load == std::numeric_limits<dag_weight>::max() ? most() : best.load - 1;
    bool any = false;
    bool first = true;
    while (low <= high) {
      const dag_weight limit = first ? high : low + (high - low) / 2;
      first = false;
      const dag_weight load = cut(order, limit);
      if (load <= limit) {
        any = true;
        best.load = load;
        ends_.swap(best_ends_);
        high = load - 1;
      } else if (limit == high) {
        break;
      } else {
        low = limit + 1;
      }
      if (high - low < high >> 17U && any) break;
    }
    if (any) write(order, best.part);
    return any;
  }

  /// The loads of parts, recomputed. O(n + p).
  [[nodiscard]] std::vector<dag_weight> loads(const std::vector<std::uint32_t>& part) const {
    std::vector<dag_weight> result(parts_, beside_);
    for (std::size_t v = 0; v < graph_.size(); ++v) result[part[v]] += graph_.weight[v];
    std::vector<std::uint32_t> in;
    for (std::size_t i = 0; i < nets_.pins.size(); ++i) {
      in.clear();
      for (const dag_vertex v : nets_.pins[i]) in.push_back(part[v]);
      std::sort(in.begin(), in.end());
      in.erase(std::unique(in.begin(), in.end()), in.end());
      if (in.size() < 2) continue;
      for (const std::uint32_t each : in) result[each] += nets_.weight[i];
    }
    return result;
  }

 private:
  [[nodiscard]] dag_weight most() const {
    dag_weight result = graph_.total + beside_;
    for (const dag_weight weight : nets_.weight) result += weight;
    return result;
  }

  void prepare(const dag_order& order) {
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t net = 0; net < nets_.pins.size(); ++net) {
      std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
      std::uint32_t last = 0;
      for (const dag_vertex v : nets_.pins[net]) {
        first = std::min(first, place_[v]);
        last = place_[v] > last ? place_[v] : last;
      }
      first_[net] = first;
      last_[net] = last;
    }
  }

  /// The ends of parts, and the heaviest load; more than `limit` if there are no ends.
  [[nodiscard]] dag_weight cut(const dag_order& order, dag_weight limit) {
    const std::size_t n = order.size();
    ends_.clear();
    dag_weight heaviest = 0;
    std::size_t begin = 0;
    for (std::size_t p = 0; p < parts_; ++p) {
      ++time_;
      const std::size_t left = parts_ - 1 - p;
      const bool to_the_end = left == 0;
      std::size_t end = begin;
      dag_weight load_there = 0;
      dag_weight work = beside_;
      dag_weight paid = 0;
      dag_weight bytes = 0;
      for (std::size_t i = begin; i + left < n; ++i) {
        const dag_vertex v = order[i];
        work += graph_.weight[v];
        if (memory_ != nullptr) bytes += memory_->of(v, p);
        if (work > limit || (memory_ != nullptr && bytes > memory_->limit)) break;
        for (const std::uint32_t net : nets_.nets_of[v]) paid += change(net, i, begin);
        if (work + paid <= limit) end = i + 1, load_there = work + paid;
      }
      if (end == begin || (to_the_end && end != n)) return std::numeric_limits<dag_weight>::max();
      heaviest = load_there > heaviest ? load_there : heaviest;
      ends_.push_back(end);
      begin = end;
    }
    return heaviest;
  }

  /// The increase of a net's cost for a part that begins at `begin` when it adds the vertex at position `i`.
  dag_weight change(std::uint32_t net, std::size_t i, std::size_t begin) {
    const dag_weight weight = nets_.weight[net];
    const bool inside = first_[net] >= begin;
    const bool met = met_[net] == time_;
    met_[net] = time_;
    if (!met) return inside && last_[net] == i ? 0 : weight;
    return inside && last_[net] == i ? -weight : 0;
  }

  void write(const dag_order& order, std::vector<std::uint32_t>& part) const {
    part.resize(order.size());
    std::size_t i = 0;
    for (std::size_t p = 0; p < best_ends_.size(); ++p) {
      for (; i < best_ends_[p]; ++i) part[order[i]] = static_cast<std::uint32_t>(p);
    }
  }

  const flat_dag& graph_;
  const dag_nets& nets_;
  const dag_memory* memory_;
  std::size_t parts_;
  dag_weight beside_;
  dag_weight bound_ = 0;
  std::vector<std::uint32_t> first_;  // first position of a vertex of each net
  std::vector<std::uint32_t> last_;
  std::vector<std::uint32_t> met_;  // for each net, when a part last held some of it
  std::uint32_t time_ = 0;
  std::vector<std::uint32_t> place_;
  std::vector<std::size_t> ends_{};
  std::vector<std::size_t> best_ends_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
