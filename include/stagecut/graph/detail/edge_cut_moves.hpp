// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/engine/fm.hpp>
#include <stagecut/graph/detail/dag_parts.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Fiduccia-Mattheyses moves between any two parts, with every edge leading to the same or a later part: a vertex moves
/// at most to the part of its highest predecessor or its lowest successor, so that no search for cycles is needed.
///
/// Edges become uncut only at these two parts, so only they and, for balance, the neighbouring parts are considered.
/// See `engine::fm_pass`. A move is O(degree log n), plus the cost of updating all neighbours.
class edge_cut_moves {
 public:
  /// @param graph  must outlive this object
  /// @param parts  is changed; its loads and cut must be correct
  edge_cut_moves(const flat_dag& graph, dag_parts& parts)
      : graph_(graph), parts_(parts), heap_(graph.size()), waiting_(parts.count()) {}

  /// Runs passes until one gains nothing, at most `passes`. Returns whether any gained.
  bool run(std::size_t passes = 8) {
    bool any = false;
    for (std::size_t i = 0; i < passes; ++i) {
      if (!pass()) break;
      any = true;
    }
    return any;
  }

  /// A move and its gain.
  struct move {
    dag_vertex element = 0;
    std::uint32_t to = none;
    dag_weight gain = std::numeric_limits<dag_weight>::min();
    friend bool operator<(const move& a, const move& b) noexcept {
      return a.gain != b.gain ? a.gain < b.gain : a.element > b.element;
    }
  };

  /// The best move of a vertex within the weight limits; `to` is `none` if there is none.
  [[nodiscard]] move best_move(dag_vertex v) {
    const std::uint32_t here = parts_.part[v];
    move best{v, none, std::numeric_limits<dag_weight>::min()};
    refused_ = {v, none, 0};
    std::uint32_t low = 0;
    dag_weight to_low = 0;
    dag_weight in_own = 0;
    bool any_in = false;
    graph_.in.each(v, [&](dag_vertex u, dag_weight weight) {
      const std::uint32_t p = parts_.part[u];
      if (p == here) in_own += weight;
      if (!any_in || p > low) low = p, to_low = 0;
      any_in = true;
      if (p == low) to_low += weight;
    });
    std::uint32_t high = static_cast<std::uint32_t>(parts_.count()) - 1;
    dag_weight to_high = 0;
    dag_weight out_own = 0;
    bool any_out = false;
    graph_.out.each(v, [&](dag_vertex u, dag_weight weight) {
      const std::uint32_t p = parts_.part[u];
      if (p == here) out_own += weight;
      if (!any_out || p < high) high = p, to_high = 0;
      any_out = true;
      if (p == high) to_high += weight;
    });
    if (low < here) {
      offer(v, low, to_low - out_own, best);
      if (low + 1 < here) offer(v, here - 1, -out_own, best);
    }
    if (high > here) {
      offer(v, high, to_high - in_own, best);
      if (here + 1 < high) offer(v, here + 1, -in_own, best);
    }
    return best;
  }

  /// Makes a move.
  void make(const move& each) {
    const std::uint32_t from = parts_.part[each.element];
    parts_.part[each.element] = each.to;
    parts_.load[from] -= graph_.weight[each.element];
    parts_.load[each.to] += graph_.weight[each.element];
    parts_.cut -= each.gain;
    assert(keeps_order(each.element));
  }

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

 private:
  struct done {
    dag_vertex vertex;
    std::uint32_t from;
    dag_weight gain;
  };

  void offer(dag_vertex v, std::uint32_t to, dag_weight gain, move& best) {
    const dag_weight weight = graph_.weight[v];
    const std::uint32_t here = parts_.part[v];
    const bool too_heavy = parts_.load[here] > parts_.most[here];
    if (too_heavy) gain += relief;
    if (parts_.load[to] + weight > parts_.most[to] && !(too_heavy && parts_.load[to] + weight < parts_.load[here])) {
      if (gain > refused_.gain) refused_ = {v, to, gain};
      return;
    }
    if (gain > best.gain || (gain == best.gain && parts_.load[to] < parts_.load[best.to]))
      best.to = to, best.gain = gain;
  }

  bool pass() {
    heap_.begin();
    for (auto& each : waiting_) each.clear();
    waits_for_.assign(graph_.size(), none);
    for (std::size_t v = 0; v < graph_.size(); ++v) {
      const auto elsewhere = [&](dag_vertex u) { return parts_.part[u] != parts_.part[v]; };
      if (parts_.load[parts_.part[v]] > parts_.most[parts_.part[v]] || any_of(graph_.out[v], elsewhere) ||
          any_of(graph_.in[v], elsewhere)) {
        look_at(static_cast<dag_vertex>(v));
      }
    }
    const auto undo = [&](const done& each) { make({each.vertex, each.from, -each.gain}); };
    const auto value = [&] { return std::pair(parts_.excess(), parts_.cut); };
    return engine::fm_pass(
        graph_.size(), done_, value, [&] { return step(); }, undo);
  }
  engine::fm_step step() {
    std::optional<move> now = heap_.take([&](dag_vertex v) { return best_move(v); });
    if (!now) return engine::fm_step::none;
    if (now->gain > relief / 2) now->gain -= relief;
    const std::uint32_t from = parts_.part[now->element];
    done_.push_back({now->element, from, now->gain});
    make(*now);
    for (const dag_vertex u : graph_.out[now->element]) look_at(u);
    for (const dag_vertex u : graph_.in[now->element]) look_at(u);
    release(from);
    return engine::fm_step::made;
  }

  void look_at(dag_vertex v) {
    if (heap_.is_locked(v)) return;
    heap_.offer(v, [&](std::size_t each) { return best_move(static_cast<dag_vertex>(each)); });
    if (refused_.to == none || waits_for_[v] == refused_.to) return;
    waits_for_[v] = refused_.to;
    waiting_[refused_.to].push_back(v);
  }
  /// Reconsiders the vertices for which a part was too heavy.
  void release(std::uint32_t part) {
    if (waiting_[part].empty()) return;
    released_.swap(waiting_[part]);
    for (const dag_vertex v : released_) {
      if (waits_for_[v] != part) continue;
      waits_for_[v] = none;
      look_at(v);
    }
    released_.clear();
  }
  template <class Is>
  static bool any_of(view<const dag_vertex> ends, const Is& is) {
    return std::any_of(ends.begin(), ends.end(), is);
  }
  [[nodiscard]] bool keeps_order(dag_vertex v) const {
    for (const dag_vertex u : graph_.in[v]) {
      if (parts_.part[u] > parts_.part[v]) return false;
    }
    for (const dag_vertex u : graph_.out[v]) {
      if (parts_.part[u] < parts_.part[v]) return false;
    }
    return true;
  }

  static constexpr dag_weight relief = dag_weight{1} << 61U;  // a move out of an overweight part comes first

  const flat_dag& graph_;
  dag_parts& parts_;
  engine::gain_heap<move> heap_;
  std::vector<std::uint32_t> waits_for_{};        // of each vertex, a part that is too heavy for its best move
  std::vector<std::vector<dag_vertex>> waiting_;  // of each part, the vertices waiting for it
  std::vector<dag_vertex> released_{};
  move refused_{};
  std::vector<done> done_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
