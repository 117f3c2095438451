// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/dag_parts.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Fiduccia-Mattheyses moves between any two parts that keep every edge leading to the same or a later part: a vertex goes
/// no further than its highest predecessor and its lowest successor, so that no search for cycles is needed.
///
/// Only at these two parts do edges become uncut, so they alone, and the neighbouring parts for the sake of balance, are
/// looked at. Each vertex moves once in a pass; moves that cut more are made as well, and the best prefix of the moves
/// stays. A move is O(degree log n), and that of all neighbours.
class edge_cut_moves {
 public:
  /// @param graph  must outlive this object
  /// @param parts  is changed; its loads and cut are right
  edge_cut_moves(const flat_dag& graph, dag_parts& parts)
      : graph_(graph), parts_(parts), moved_(graph.size(), 0), stamp_(graph.size(), 0), waiting_(parts.count()) {}

  /// Passes until one gains nothing, `passes` at most. Whether any gained.
  bool run(std::size_t passes = 8) {
    bool any = false;
    for (std::size_t i = 0; i < passes; ++i) {
      if (!pass()) break;
      any = true;
    }
    return any;
  }

  /// A move, and what it gains.
  struct move {
    dag_vertex vertex = 0;
    std::uint32_t to = none;
    dag_weight gain = std::numeric_limits<dag_weight>::min();
    std::uint32_t stamp = 0;
  };

  /// The best move of a vertex that its parts' weights allow; `to` is `none` if there is none.
  [[nodiscard]] move best_move(dag_vertex v) {
    const std::uint32_t here = parts_.part[v];
    move best{v, none, std::numeric_limits<dag_weight>::min(), 0};
    refused_ = {v, none, 0, 0};
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
    const std::uint32_t from = parts_.part[each.vertex];
    parts_.part[each.vertex] = each.to;
    parts_.load[from] -= graph_.weight[each.vertex];
    parts_.load[each.to] += graph_.weight[each.vertex];
    parts_.cut -= each.gain;
    assert(keeps_order(each.vertex));
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
      if (gain > refused_.gain) refused_ = {v, to, gain, 0};
      return;
    }
    if (gain > best.gain || (gain == best.gain && parts_.load[to] < parts_.load[best.to]))
      best.to = to, best.gain = gain;
  }

  bool pass() {
    ++pass_;
    heap_.clear();
    done_.clear();
    for (auto& each : waiting_) each.clear();
    waits_for_.assign(graph_.size(), none);
    const std::size_t n = graph_.size();
    for (std::size_t v = 0; v < n; ++v) {
      const std::uint32_t here = parts_.part[v];
      bool boundary = parts_.load[here] > parts_.most[here];
      for (const dag_vertex u : graph_.out[v]) boundary = boundary || parts_.part[u] != here;
      if (!boundary) {
        for (const dag_vertex u : graph_.in[v]) boundary = boundary || parts_.part[u] != here;
      }
      if (boundary) look_at(static_cast<dag_vertex>(v));
    }
    const dag_weight cut = parts_.cut;
    const dag_weight excess = parts_.excess();
    dag_weight best_cut = cut;
    dag_weight best_excess = excess;
    std::size_t best = 0;
    const std::size_t patience = std::clamp<std::size_t>(n / 30, 60, 1500);
    while (!heap_.empty() && done_.size() < best + patience) {
      std::pop_heap(heap_.begin(), heap_.end(), less);
      const move top = heap_.back();
      heap_.pop_back();
      if (moved_[top.vertex] == pass_ || top.stamp != stamp_[top.vertex]) continue;
      move now = best_move(top.vertex);
      if (now.to == none) continue;
      if (now.gain != top.gain) {
        push(now);
        continue;
      }
      if (now.gain > relief / 2) now.gain -= relief;
      const std::uint32_t from = parts_.part[now.vertex];
      done_.push_back({now.vertex, from, now.gain});
      make(now);
      moved_[now.vertex] = pass_;
      const dag_weight left = parts_.excess();
      if (left < best_excess || (left == best_excess && parts_.cut < best_cut)) {
        best = done_.size(), best_cut = parts_.cut, best_excess = left;
      }
      for (const dag_vertex u : graph_.out[now.vertex]) look_at(u);
      for (const dag_vertex u : graph_.in[now.vertex]) look_at(u);
      release(from);
    }
    while (done_.size() > best) {
      const done& last = done_.back();
      make({last.vertex, last.from, -last.gain, 0});
      done_.pop_back();
    }
    return best_excess < excess || best_cut < cut;
  }

  void look_at(dag_vertex v) {
    if (moved_[v] == pass_) return;
    const move each = best_move(v);
    ++stamp_[v];
    if (each.to != none) push(each);
    if (refused_.to == none || waits_for_[v] == refused_.to) return;
    waits_for_[v] = refused_.to;
    waiting_[refused_.to].push_back(v);
  }
  void push(move each) {
    each.stamp = stamp_[each.vertex];
    heap_.push_back(each);
    std::push_heap(heap_.begin(), heap_.end(), less);
  }
  /// Looks again at what a part was too heavy for.
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
  static bool less(const move& a, const move& b) noexcept {
    return a.gain != b.gain ? a.gain < b.gain : a.vertex > b.vertex;
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

  static constexpr dag_weight relief = dag_weight{1} << 61U;  // a move out of a part that is too heavy comes first

  const flat_dag& graph_;
  dag_parts& parts_;
  std::vector<std::uint32_t> moved_;              // of every vertex, the pass in which it moved
  std::vector<std::uint32_t> stamp_;              // of every vertex, of what is said of it in the heap
  std::vector<std::uint32_t> waits_for_{};        // of every vertex, a part that is too heavy for its best move
  std::vector<std::vector<dag_vertex>> waiting_;  // of every part, what waits for it
  std::vector<dag_vertex> released_{};
  move refused_{};
  std::vector<move> heap_{};
  std::vector<done> done_{};
  std::uint32_t pass_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
