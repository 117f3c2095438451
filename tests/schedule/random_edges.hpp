// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

/// Schedules over random acyclic graphs of stages, with their transfers: any rank for a stage, passes and messages in any
/// order in which they can run, backward passes whole or split, F together with B.
class random_edges {
 public:
  explicit random_edges(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t up_to(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }

  /// An acyclic graph of `stages` stages with at least one edge, in any order; `ascending`: from lower to higher
  /// numbers.
  [[nodiscard]] std::vector<stagecut::stage_edge> edges(std::size_t stages, bool ascending) {
    std::vector<std::size_t> rank(stages);
    for (std::size_t s = 0; s < stages; ++s) rank[s] = s;
    if (!ascending) std::shuffle(rank.begin(), rank.end(), random_);
    const std::size_t density = 1 + up_to(3);
    std::vector<stagecut::stage_edge> result;
    while (result.empty()) {
      for (std::size_t a = 0; a < stages; ++a) {
        for (std::size_t b = a + 1; b < stages; ++b) {
          if (up_to(3) < density || (b == a + 1 && up_to(1) == 0)) result.push_back({rank[a], rank[b]});
        }
      }
    }
    std::shuffle(result.begin(), result.end(), random_);
    return result;
  }

  /// One that runs to its end.
  [[nodiscard]] stagecut::schedule next() {
    all_ = {};
    all_.microbatches = 1 + up_to(3);
    all_.slices = up_to(2) == 0 ? 2 : 1;
    const std::size_t stages = 2 + up_to(5);
    const std::size_t ranks = 1 + up_to(3);
    all_.orders.resize(ranks);
    for (std::size_t s = 0; s < stages; ++s) all_.rank_of.push_back(s < ranks ? s : up_to(ranks - 1));
    for (std::size_t& rank : all_.rank_of) rank = std::min(rank, ranks - 1);
    std::shuffle(all_.rank_of.begin(), all_.rank_of.end(), random_);
    all_.edges = edges(stages, up_to(1) == 0);
    split_ = up_to(2);
    overlap_ = all_.slices == 1 && up_to(1) == 0;
    done_.clear();
    for (;;) {
      const std::vector<stagecut::op> ready = list();
      if (ready.empty()) return all_;
      run(ready[up_to(ready.size() - 1)], ready);
    }
  }

  /// The same with some neighbours changed places: perhaps no schedule, perhaps one that waits for itself.
  [[nodiscard]] stagecut::schedule disturbed(stagecut::schedule order) {
    for (std::size_t times = 1 + up_to(4); times > 0; --times) {
      auto& ops = order.orders[up_to(order.ranks() - 1)];
      if (ops.size() < 2) continue;
      const std::size_t a = up_to(ops.size() - 1);
      const std::size_t b = up_to(1) == 0 ? (a + 1) % ops.size() : up_to(ops.size() - 1);
      std::swap(ops[a], ops[b]);
    }
    return order;
  }

 private:
  using op = stagecut::op;
  using op_kind = stagecut::op_kind;
  using mark = std::tuple<op_kind, std::size_t, std::size_t, std::size_t, std::uint32_t>;

  static mark mark_of(op_kind kind, std::size_t stage, const op& of, std::uint32_t peer = op::neighbour) {
    return {kind, stage, of.microbatch, of.slice, peer};
  }
  [[nodiscard]] bool was(op_kind kind, std::size_t stage, const op& of, std::uint32_t peer = op::neighbour) const {
    return done_.count(mark_of(kind, stage, of, peer)) != 0;
  }
  /// The gradient of the input; B counts as I here.
  [[nodiscard]] bool has_input(std::size_t s, const op& of, bool back) const {
    for (const stagecut::stage_edge& e : all_.edges) {
      if ((back ? e.from : e.to) != s) continue;
      const std::size_t other = back ? e.to : e.from;
      const auto peer = static_cast<std::uint32_t>(other);
      if (all_.rank_of[other] == all_.rank_of[s]) {
        if (!was(back ? op_kind::backward_input : op_kind::forward, other, of)) return false;
      } else if (!was(back ? op_kind::receive_backward : op_kind::receive_forward, s, of, peer)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<op> list() const {
    std::vector<op> ready;
    for (op of; of.stage < all_.stages(); ++of.stage) {
      for (of.microbatch = 0; of.microbatch < all_.microbatches; ++of.microbatch) {
        for (of.slice = 0; of.slice < all_.slices; ++of.slice) list_passes(of, ready);
      }
    }
    for (const stagecut::stage_edge& e : all_.edges) {
      if (all_.rank_of[e.from] == all_.rank_of[e.to]) continue;
      const auto from = static_cast<std::uint32_t>(e.from);
      const auto to = static_cast<std::uint32_t>(e.to);
      for (op of; of.microbatch < all_.microbatches; ++of.microbatch) {
        for (of.slice = 0; of.slice < all_.slices; ++of.slice) {
          const op down{op_kind::send_forward, e.from, of.microbatch, of.slice, false, to};
          const op up{op_kind::send_backward, e.to, of.microbatch, of.slice, false, from};
          if (was(op_kind::forward, e.from, of) && !was(down.kind, e.from, of, to)) ready.push_back(down);
          if (was(op_kind::backward_input, e.to, of) && !was(up.kind, e.to, of, from)) ready.push_back(up);
        }
      }
    }
    return ready;
  }

  void list_passes(op of, std::vector<op>& ready) const {
    op other = of;
    if (!was(op_kind::forward, of.stage, of)) {
      --other.slice;
      if (!has_input(of.stage, of, false) || (of.slice > 0 && !was(op_kind::forward, of.stage, other))) return;
      of.kind = op_kind::forward;
    } else if (!was(op_kind::backward_input, of.stage, of)) {
      ++other.slice;
      if (!has_input(of.stage, of, true)) return;
      if (of.slice + 1 < all_.slices && !was(op_kind::backward_input, of.stage, other)) return;
      const bool whole = split_ == 0 || (split_ == 1 && (of.stage + of.microbatch) % 2 == 0);
      of.kind = whole ? op_kind::backward : op_kind::backward_input;
    } else if (!was(op_kind::backward_weight, of.stage, of)) {
      of.kind = op_kind::backward_weight;
    } else {
      return;
    }
    ready.push_back(of);
  }

  void add(const op& each) {
    all_.orders[all_.rank_of[each.stage]].push_back(each);
    if (each.kind == op_kind::backward) {
      done_.insert(mark_of(op_kind::backward_input, each.stage, each));
      done_.insert(mark_of(op_kind::backward_weight, each.stage, each));
    }
    done_.insert(mark_of(each.kind, each.stage, each, each.peer));
  }

  void run(op each, const std::vector<op>& ready) {
    if (is_send(each.kind)) {
      add(each);
      const auto kind = each.kind == op_kind::send_forward ? op_kind::receive_forward : op_kind::receive_backward;
      add({kind, each.peer, each.microbatch, each.slice, false, static_cast<std::uint32_t>(each.stage)});
      return;
    }
    for (const op& other : ready) {
      if (!overlap_ || each.kind != op_kind::forward || other.kind != op_kind::backward) continue;
      if (other.microbatch == each.microbatch || all_.rank_of[other.stage] != all_.rank_of[each.stage]) continue;
      each.with_next = true;
      add(each);
      return add(other);
    }
    add(each);
  }

  std::mt19937 random_;
  stagecut::schedule all_{};
  std::size_t split_ = 0;  // the share of backward passes that is, in halves
  bool overlap_ = false;
  std::set<mark> done_{};
};
