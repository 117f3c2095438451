// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/interval.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/detail/rank_relaxation.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A cache of paths through a `rank_relaxation`. The length of each path is a lower bound for any times of the rank's
/// parts. A path is stored as counts: its passes through each entry of a `rank_relaxation::part`, and through the turn.
class rank_paths {
 public:
  static constexpr std::size_t lanes = 8;  // paths in a group
  static constexpr std::size_t most = 32;

  /// The counts of a path, or the matching times: forward, backward, weight, down and up of both parts, and the turn.
  static constexpr std::size_t figures = 11;
  using list = double[figures];

  /// Stores a path, in place of the oldest if there are many.
  void put(const list& counts) {
    if (next_ == groups_.size() * lanes && next_ < most) groups_.resize(groups_.size() + 1);
    group& here = groups_[next_ / lanes];
    for (std::size_t i = 0; i < figures; ++i) here.counts[i][next_ % lanes] = counts[i];
    next_ = next_ + 1 == most ? 0 : next_ + 1;
  }

  /// Whether a stored path is longer than `limit`.
  [[nodiscard]] bool above(const list& times, double limit) const {
    for (const group& each : groups_) {
      double lengths[lanes];
      for (std::size_t j = 0; j < lanes; ++j) lengths[j] = times[0] * each.counts[0][j];
      for (std::size_t i = 1; i < figures; ++i) {
        for (std::size_t j = 0; j < lanes; ++j) lengths[j] += times[i] * each.counts[i][j];
      }
      bool any = false;
      for (std::size_t j = 0; j < lanes; ++j) any = any || lengths[j] > limit;
      if (any) return true;
    }
    return false;
  }

 private:
  struct group {
    double counts[figures][lanes] = {};
  };

  std::vector<group> groups_{};
  std::size_t next_ = 0;
};

/// Lower bounds on the makespan with two stages per rank, if a rank has the two stages between two nodes of a
/// `stage_layout` other than `chain`.
class pair_bounds {
 public:
  pair_bounds(const engine::chain_ticks& chain, const schedule& order, const engine::stage_layout& layout)
      : chain_(chain), layout_(layout), passes_(static_cast<double>(order.microbatches * order.slices)) {
    const std::size_t n = chain.items;
    for (std::size_t r = 0; r < order.ranks(); ++r) relaxed_.emplace_back(order, r);
    paths_.resize(order.ranks());
    for (auto* sums : {&forward_, &backward_, &all_}) sums->resize(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      const auto pass = [&](std::size_t kind) {
        return chain.least([&](std::size_t s) { return chain.item(kind, s, i); });
      };
      forward_[i + 1] = forward_[i] + pass(engine::tick_f);
      backward_[i + 1] = backward_[i] + pass(engine::tick_b);
      all_[i + 1] = all_[i] + chain.least([&](std::size_t s) { return chain.item_load(s, i); });
    }
    for (auto* sums : {&own_forward_, &own_backward_, &own_all_}) sums->resize(chain.stages + 1);
    for (std::size_t s = 0; s < chain.stages; ++s) {
      own_forward_[s + 1] = own_forward_[s] + chain.own(engine::tick_f, s);
      own_backward_[s + 1] = own_backward_[s] + chain.own(engine::tick_b, s);
      own_all_[s + 1] = own_all_[s] + chain.own_load(s);
    }
    message_.resize(chain.stages);
    for (std::size_t s = 0; s + 1 < chain.stages; ++s) {
      double best = engine::no_ticks;
      for (std::size_t y = s + 1; y < n; ++y) {
        best = chain.message(s, y) < best ? chain.message(s, y) : best;
        steady_ = steady_ && chain.message(s, y) == chain.message(s, s + 1);
      }
      message_[s + 1] = message_[s] + (n > s + 1 ? best : 0);
    }
  }

  /// Whether messages take the same time wherever the chain is cut: then a longer stage never has a lower bound.
  [[nodiscard]] bool steady() const noexcept { return steady_; }

  /// A lower bound on the rank's busy time from the beginning on; it grows with a stage. See docs/makespan.md, Bounds,
  /// And for all.
  [[nodiscard]] double busy(const engine::layered_graph::node& u, const engine::layered_graph::node& v) const {
    double load = 0;
    for (std::size_t j = 0; j < 2; ++j) {
      const interval part = layout_.part(j, u, v);
      load += chain_.load(layout_.stage(u.step, j), part.first, part.last);
    }
    return forward_[u.cut[1]] + own_forward_[layout_.stage(u.step, 0)] + passes_ * load;
  }

  /// A lower bound on the makespan: docs/makespan.md, Bounds, Every other schedule.
  double operator()(const engine::layered_graph::node& u, const engine::layered_graph::node& v) {
    const double turn = set_parts(u, v);
    const auto ends = relaxed_[layout_.stage(u.step, 0)](parts_, turn);
    const double leave = parts_[0].up;
    return ends.any < ends.leaving + leave ? ends.leaving + leave : ends.any;
  }

  /// Whether a learned path shows that this exceeds `most`.
  [[nodiscard]] bool above(const engine::layered_graph::node& u, const engine::layered_graph::node& v, double most) {
    rank_paths::list times;
    fill_times(u, v, times);
    return paths_[layout_.stage(u.step, 0)].above(times, most);
  }

  /// Learns a path that shows it, if there is one. Returns whether there is.
  bool learn(const engine::layered_graph::node& u, const engine::layered_graph::node& v, double most) {
    if ((*this)(u, v) <= most) return false;
    const std::size_t r = layout_.stage(u.step, 0);
    const double turn = set_parts(u, v);
    rank_paths::list counts;
    relaxed_[r].count_longest(parts_, turn, counts);
    paths_[r].put(counts);
    return true;
  }

 private:
  /// The times that the counts of learned paths multiply.
  void fill_times(const engine::layered_graph::node& u, const engine::layered_graph::node& v, rank_paths::list& times) {
    times[10] = set_parts(u, v);
    for (std::size_t j = 0; j < 2; ++j) {
      const auto& part = parts_[j];
      double* const here = times + 5 * j;
      here[0] = part.forward, here[1] = part.backward, here[2] = part.weight, here[3] = part.down, here[4] = part.up;
    }
  }

  /// Sets the parts for an edge; returns the turn.
  double set_parts(const engine::layered_graph::node& u, const engine::layered_graph::node& v) {
    const std::size_t n = chain_.items;
    const std::size_t r = layout_.stage(u.step, 0);
    const std::size_t last = chain_.stages - 1;
    for (std::size_t j = 0; j < 2; ++j) {
      const std::size_t s = layout_.stage(u.step, j);
      const interval part = layout_.part(j, u, v);
      auto& here = parts_[j];
      here.forward = chain_.pass(engine::tick_f, s, part.first, part.last);
      here.backward = chain_.pass(engine::tick_b, s, part.first, part.last);
      here.weight = chain_.pass(engine::tick_w, s, part.first, part.last);
      double message = 0;
      std::size_t before = 0;  // the end of the rank's previous stage, and the stage after it
      std::size_t next = 0;
      if (j == 0) {
        if (s != 0) message = message_[s - 1] + chain_.message(s - 1, part.first);
      } else {
        before = layout_.part(0, u, v).last;
        next = r + 1;
        message = messages(r, before, s, part.first);
      }
      here.down = forward_[part.first] - forward_[before] + own_forward_[s] - own_forward_[next] + message;
      here.up = backward_[part.first] - backward_[before] + own_backward_[s] - own_backward_[next] + message;
    }
    const std::size_t s = layout_.stage(u.step, 1);
    const std::size_t end = layout_.part(1, u, v).last;
    double turn = forward_[n] - forward_[end] + backward_[n] - backward_[end];
    turn += own_forward_[chain_.stages] - own_forward_[s + 1] + own_backward_[chain_.stages] - own_backward_[s + 1];
    if (s != last) turn += 2 * (chain_.message(s, end) + message_[last] - message_[s + 1]);
    return turn;
  }

 public:
  /// Whether the `ranks` later ranks cannot run the rest within `most`: docs/makespan.md, Bounds, And for all.
  [[nodiscard]] bool rest_is_too_much(const engine::layered_graph::node& v, std::size_t ranks, double most) const {
    const std::size_t first = layout_.ranks - ranks;  // stages of the later ranks, their first stages
    double load = 0;
    if (layout_.kind == engine::stage_layout::shape::vee) {
      load = all_[v.cut[2]] - all_[v.cut[1]] + own_all_[chain_.stages - first] - own_all_[first];
    } else {
      load = all_[v.cut[0]] - all_[v.cut[1]] + all_[chain_.items] - all_[v.cut[2]];
      load += own_all_[layout_.ranks] - own_all_[first];
      load += own_all_[chain_.stages] - own_all_[layout_.ranks + first];
    }
    return load * passes_ > static_cast<double>(ranks) * most;
  }

 private:
  /// The message time from stage s, cut at `from`, to stage t, cut at `to`, without the stages between.
  [[nodiscard]] double messages(std::size_t s, std::size_t from, std::size_t t, std::size_t to) const {
    if (t == s + 1) return chain_.message(s, from);
    return chain_.message(s, from) + (message_[t - 1] - message_[s + 1]) + chain_.message(t - 1, to);
  }

  const engine::chain_ticks& chain_;
  const engine::stage_layout& layout_;
  double passes_;
  bool steady_ = true;
  std::vector<rank_relaxation> relaxed_{};       // per rank
  std::vector<rank_paths> paths_{};              // per rank
  std::vector<rank_relaxation::part> parts_{2};  // of the current edge
  std::vector<double> forward_{};                // prefix sums of the smallest item times
  std::vector<double> backward_{};
  std::vector<double> all_{};
  std::vector<double> own_forward_{};  // the same for the fixed times of stages
  std::vector<double> own_backward_{};
  std::vector<double> own_all_{};
  std::vector<double> message_{};  // the same for the boundaries
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
