// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/detail/dag_hierarchy.hpp>
#include <stagecut/graph/detail/dag_orders.hpp>
#include <stagecut/graph/detail/dag_parts.hpp>
#include <stagecut/graph/detail/edge_cut_moves.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>
#include <stagecut/graph/detail/guided_orders.hpp>
#include <stagecut/graph/detail/order_cuts.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Cuts a graph into parts with weight limits and a small total weight of the edges between them.
class dag_multilevel {
 public:
  dag_multilevel(const flat_dag& graph, std::vector<dag_weight> most, std::uint64_t seed)
      : graph_(graph), most_(std::move(most)), random_(seed) {}

  /// Merges first, then cuts orders of the coarse graph: fast, and good if the graph consists of layers.
  /// @param known  it may end early if it is much worse than this; none: null
  [[nodiscard]] dag_parts by_merging(const dag_parts* known) {
    const std::size_t first = random_.below(6);
    dag_parts best = merged(first);
    if (known != nullptr && known->excess() == 0 && best.cut > known->cut + known->cut / 8) return best;
    // The first merges matter most: without another method, rounds start once more in another way.
    if (known == nullptr) {
      if (dag_parts other = merged(first + 3); other.better_than(best)) best = std::move(other);
    }
    for (std::size_t i = 0; i < 3; ++i) cycle(graph_, best, i);
    return best;
  }

  /// Recursive bisection, by the best of many orders of the whole graph each time.
  [[nodiscard]] dag_parts by_bisection(std::size_t kept) {
    dag_parts result;
    result.most = most_;
    result.part.assign(graph_.size(), 0);
    std::vector<dag_vertex> all(graph_.size());
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<dag_vertex>(v);
    halve(graph_, all, 0, most_.size(), kept, result.part);
    result.reckon(graph_);
    for (std::size_t i = 0; i < 5; ++i) cycle(graph_, result, i);
    return result;
  }

 private:
  /// Merges, cuts orders of the coarse graph, and moves vertices on all levels.
  [[nodiscard]] dag_parts merged(std::size_t first) {
    const std::size_t k = most_.size();
    const dag_weight most = std::max<dag_weight>(graph_.total / static_cast<dag_weight>(50 * k), 1);
    const dag_hierarchy hierarchy(graph_, {}, std::max<std::size_t>(30 * k, 300), most, first);
    dag_parts result = best_of_orders(hierarchy.coarsest());
    if (result.most.empty()) result = first_parts(hierarchy.coarsest());
    hierarchy.refine(result);
    return result;
  }

  /// Merges within parts, and moves on all levels. Never makes parts worse.
  void cycle(const flat_dag& graph, dag_parts& parts, std::size_t kind) const {
    const std::size_t k = parts.count();
    const dag_weight most = std::max<dag_weight>(graph.total / static_cast<dag_weight>((40 + 10 * (kind % 3)) * k), 1);
    const dag_hierarchy hierarchy(graph, parts.part, std::max<std::size_t>(30 * k, 300), most, 2 * kind);
    parts.part = hierarchy.part();
    hierarchy.refine(parts);
  }

  [[nodiscard]] dag_parts best_of_orders(const flat_dag& graph) {
    dag_parts best;
    const auto consider = [&](const dag_order& order) {
      auto part = order_program(graph, order).run(most_);
      if (!part) return;
      dag_parts found;
      found.most = most_;
      found.part = *std::move(part);
      found.reckon(graph);
      edge_cut_moves(graph, found).run();
      if (best.most.empty() || found.better_than(best)) best = std::move(found);
    };
    for (std::size_t i = 0; i < plain_orders; ++i) consider(plain_order(graph, i));
    if (graph.size() <= 4000) {  // with more it takes long
      guided_orders guided(graph, random_);
      for (std::size_t i = 0; i < guided.size(); i += 2) guided.each_order(i, consider);
    }
    if (best.most.empty()) return best;
    const dag_order order = last_ready_first(graph, false);
    for (std::size_t i = 0; i < 3; ++i) {
      const dag_weight before = best.cut;
      consider(by_part(order, best.part, best.count()));
      if (best.cut == before) break;
    }
    return best;
  }

  /// Initial parts, which may be too heavy if no order has better ones.
  [[nodiscard]] dag_parts first_parts(const flat_dag& graph) const {
    dag_parts result;
    result.most = most_;
    dag_weight weight = 0;
    std::uint32_t part = 0;
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if (weight + graph.weight[v] > most_[part] && part + 1 < most_.size()) ++part, weight = 0;
      weight += graph.weight[v];
      result.part.push_back(part);
    }
    result.reckon(graph);
    return result;
  }

  /// The best bisections that differ enough.
  class halves {
   public:
    struct candidate {
      prefix_cut cut;
      std::vector<std::uint32_t> part;
    };
    halves(std::size_t vertices, std::size_t most) : vertices_(vertices), most_(most) {}
    [[nodiscard]] std::vector<candidate>& kept() noexcept { return kept_; }

    void consider(const dag_order& order, const prefix_cut& found) {
      if (kept_.size() == most_ && !found.better_than(kept_.back().cut)) return;
      candidate next{found, std::vector<std::uint32_t>(vertices_, 1)};
      for (std::size_t i = 0; i < found.first; ++i) next.part[order[i]] = 0;
      const auto like = std::find_if(kept_.begin(), kept_.end(), [&](const candidate& each) {
        std::size_t differ = 0;
        for (std::size_t v = 0; v < vertices_; ++v) differ += each.part[v] != next.part[v] ? std::size_t{1} : 0;
        return differ <= vertices_ / 12;
      });
      if (like != kept_.end()) {
        if (!found.better_than(like->cut)) return;
        kept_.erase(like);
      }
      const auto at =
          std::find_if(kept_.begin(), kept_.end(), [&](const candidate& each) { return found.better_than(each.cut); });
      kept_.insert(at, std::move(next));
      if (kept_.size() > most_) kept_.pop_back();
    }

   private:
    std::size_t vertices_;
    std::size_t most_;
    std::vector<candidate> kept_{};  // the best first
  };

  void halve(const flat_dag& graph, const std::vector<dag_vertex>& vertices, std::size_t first, std::size_t count,
             std::size_t kept, std::vector<std::uint32_t>& part) {
    if (count == 1) {
      for (const dag_vertex v : vertices) part[v] = static_cast<std::uint32_t>(first);
      return;
    }
    const std::size_t front = (count + 1) / 2;
    const dag_parts sides = bisected(graph, first, front, count, kept);
    for (std::uint32_t side = 0; side < 2; ++side) {
      std::vector<dag_vertex> chosen;
      std::vector<dag_vertex> within;
      for (std::size_t v = 0; v < vertices.size(); ++v) {
        if (sides.part[v] == side) chosen.push_back(vertices[v]), within.push_back(static_cast<dag_vertex>(v));
      }
      const std::size_t parts = side == 0 ? front : count - front;
      halve(parts == 1 ? flat_dag() : induced(graph, within), chosen, side == 0 ? first : first + front, parts, kept,
            part);
    }
  }

  static flat_dag induced(const flat_dag& graph, const std::vector<dag_vertex>& vertices) {
    constexpr dag_vertex none = edge_cut_moves::none;
    std::vector<dag_vertex> number(graph.size(), none);
    std::vector<dag_weight> weight;
    for (const dag_vertex v : vertices) {
      number[v] = static_cast<dag_vertex>(weight.size());
      weight.push_back(graph.weight[v]);
    }
    dag_edges edges;
    for (const dag_vertex v : vertices) {
      graph.out.each(v, [&](dag_vertex to, dag_weight each) {
        if (number[to] != none) edges.push_back({number[v], number[to], each});
      });
    }
    return {std::move(weight), edges};
  }

  /// Two halves: the parts [first, first + front), and the rest up to `first + count`.
  dag_parts bisected(const flat_dag& graph, std::size_t first, std::size_t front, std::size_t count, std::size_t kept) {
    dag_parts empty;
    empty.most = limits(graph, first, front, count);
    const dag_weight least = graph.total - empty.most[1];
    const std::vector<dag_weight> more = cut_by_each(graph);
    halves best(graph.size(), kept);
    const auto consider = [&](const dag_order& order) {
      best.consider(order, best_prefix(graph, order, more, least, empty.most[0]));
    };
    for (std::size_t i = 0; i < plain_orders; ++i) consider(plain_order(graph, i));
    guided_orders guided(graph, random_);
    for (std::size_t i = 0; i < guided.size(); ++i) guided.each_order(i, consider);
    dag_parts result;
    for (auto& each : best.kept()) {
      dag_parts now = empty;
      now.part = std::move(each.part);
      now.reckon(graph);
      edge_cut_moves(graph, now).run();
      cycle(graph, now, 0);
      if (result.most.empty() || now.better_than(result)) result = std::move(now);
    }
    return result;
  }

  /// The weight limits of the halves: the remaining slack is divided equally over the levels that follow.
  [[nodiscard]] std::vector<dag_weight> limits(const flat_dag& graph, std::size_t first, std::size_t front,
                                               std::size_t count) const {
    dag_weight sides[2] = {0, 0};
    for (std::size_t p = 0; p < count; ++p) {
      dag_weight& side = sides[p < front ? 0 : 1];
      side = std::min(side + most_[first + p], dag_weight{1} << 61U);
    }
    const double total = static_cast<double>(std::max<dag_weight>(graph.total, 1));
    const double room = std::max(static_cast<double>(sides[0] + sides[1]) / total, 1.0);
    std::size_t levels = 1;
    while (std::size_t{1} << levels < count) ++levels;
    const double slack = (1 + (room - 1) / static_cast<double>(levels)) / room;
    std::vector<dag_weight> result;
    for (const dag_weight side : sides) result.push_back(static_cast<dag_weight>(static_cast<double>(side) * slack));
    // Rounded down, or where no balanced parts exist, the two together may be too little.
    if (const dag_weight lacking = graph.total - result[0] - result[1]; lacking > 0) {
      const dag_weight room_in_front = std::max<dag_weight>(sides[0] - result[0], lacking / 2);
      result[0] += std::min(lacking, room_in_front);
      result[1] = graph.total - result[0];
    }
    return result;
  }

  const flat_dag& graph_;
  std::vector<dag_weight> most_;
  engine::seeded random_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
