// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/dag_orders.hpp>
#include <stagecut/graph/detail/edge_cut_moves.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The best position to cut an order in two.
struct prefix_cut {
  std::size_t first = 0;  ///< vertices in front
  dag_weight cut = std::numeric_limits<dag_weight>::max();
  dag_weight miss = std::numeric_limits<dag_weight>::max();  ///< by how much it is too light or too heavy

  /// Whether it misses less, or misses as much and cuts less.
  [[nodiscard]] bool better_than(const prefix_cut& other) const noexcept {
    return miss != other.miss ? miss < other.miss : cut < other.cut;
  }
};

/// The least cut of an order in two with a front weight from `least` to `most`; if there is no such position, the
/// nearest to these. O(n): an edge is cut while only its first end is in front.
/// @param more  for each vertex, the weight of its out-edges minus the weight of its in-edges
[[nodiscard]] inline prefix_cut best_prefix(const flat_dag& graph, const dag_order& order,
                                            const std::vector<dag_weight>& more, dag_weight least, dag_weight most) {
  prefix_cut best;
  dag_weight cut = 0;
  dag_weight weight = 0;
  for (std::size_t i = 0; i <= order.size(); ++i) {
    if (i > 0) {
      cut += more[order[i - 1]];
      weight += graph.weight[order[i - 1]];
    }
    const dag_weight off = weight < least ? least - weight : weight > most ? weight - most : 0;
    if (const prefix_cut here{i, cut, off}; here.better_than(best)) best = here;
    if (weight > most && off > best.miss) break;
  }
  return best;
}

/// For each vertex, the weight of its out-edges minus the weight of its in-edges.
[[nodiscard]] inline std::vector<dag_weight> cut_by_each(const flat_dag& graph) {
  std::vector<dag_weight> result(graph.size(), 0);
  for (std::size_t v = 0; v < graph.size(); ++v) {
    graph.out.each(v, [&](dag_vertex to, dag_weight weight) { result[v] += weight, result[to] -= weight; });
  }
  return result;
}

/// Cuts an order into parts with the weight limits `most` so that the cut is least: by dynamic programming over the
/// positions where parts end; each leaves feasible weights in front and behind. Exact for the order if there
/// are at most 256 positions for an end; if more, evenly spaced ones are used. None if no positions satisfy the
/// weights. O(k w (w + m / n)), where w is the number of positions for an end.
class order_program {
 public:
  order_program(const flat_dag& graph, const dag_order& order) : graph_(graph), order_(order), place_(graph.size()) {
    weight_.push_back(0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_[order[i]] = static_cast<std::uint32_t>(i);
      weight_.push_back(weight_.back() + graph.weight[order[i]]);
    }
  }

  /// The part of each vertex.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> run(const std::vector<dag_weight>& most) const {
    constexpr dag_weight never = std::numeric_limits<dag_weight>::max();
    const std::size_t k = most.size();
    std::vector<std::pair<std::size_t, std::size_t>> windows = windows_of(most);
    if (windows.empty()) return std::nullopt;
    std::vector<std::vector<std::uint32_t>> from(k + 1);  // for each end, the end before it
    std::vector<dag_weight> before{0};
    for (std::size_t p = 1; p <= k; ++p) {
      const auto [low, high] = windows[p];
      const auto [first, last] = windows[p - 1];
      std::vector<dag_weight> now(high - low + 1, never);
      from[p].assign(high - low + 1, 0);
      const std::size_t step = (high - low) / most_places + 1;
      // The edges out of [a, b) that end at b or later, for the current a, as b grows.
      for (std::size_t a = first; a <= last; ++a) {
        if (before[a - first] == never) continue;
        dag_weight out = 0;
        for (std::size_t b = a; b <= high && weight_[b] - weight_[a] <= most[p - 1]; ++b) {
          if (b >= low && (b - low) % step == 0 && before[a - first] + out < now[b - low]) {
            now[b - low] = before[a - first] + out;
            from[p][b - low] = static_cast<std::uint32_t>(a);
          }
          if (b == order_.size()) break;
          const dag_vertex v = order_[b];
          graph_.out.each(v, [&](dag_vertex, dag_weight weight) { out += weight; });
          graph_.in.each(v, [&](dag_vertex u, dag_weight weight) { out -= place_[u] >= a ? weight : 0; });
        }
      }
      before = std::move(now);
    }
    if (before.back() == never) return std::nullopt;
    std::vector<std::uint32_t> part(order_.size());
    std::size_t end = order_.size();
    for (std::size_t p = k; p > 0; --p) {
      const std::size_t begin = from[p][end - windows[p].first];
      for (std::size_t i = begin; i < end; ++i) part[order_[i]] = static_cast<std::uint32_t>(p - 1);
      end = begin;
    }
    return part;
  }

 private:
  static constexpr std::size_t most_places = 256;

  /// For each number of parts, the first and the last position where they may end.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> windows_of(const std::vector<dag_weight>& most) const {
    const std::size_t n = order_.size();
    const dag_weight total = weight_[n];
    const auto added = [&](dag_weight sum, dag_weight more) { return more < total - sum ? sum + more : total; };
    std::vector<dag_weight> behind(most.size() + 1, 0);  // limit of the weight of the later parts, at most the total
    for (std::size_t p = most.size(); p > 0; --p) behind[p - 1] = added(behind[p], most[p - 1]);
    std::vector<std::pair<std::size_t, std::size_t>> result{{0, 0}};
    dag_weight front = 0;
    std::size_t low = 0;
    std::size_t high = 0;
    for (std::size_t p = 0; p < most.size(); ++p) {
      front = added(front, most[p]);
      while (low < n && weight_[low] < total - behind[p + 1]) ++low;
      while (high < n && weight_[high + 1] <= front) ++high;
      if (low > high) return {};
      result.emplace_back(low, high);
    }
    if (result.back().second != n) return {};
    result.back().first = n;
    return result;
  }

  const flat_dag& graph_;
  const dag_order& order_;
  std::vector<std::uint32_t> place_;
  std::vector<dag_weight> weight_{};  // of the vertices in front of each position
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
