// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Moves runs of neighbouring cut points until no row of `memory_rows` exceeds the limit: an item leaves a stage of a
/// violated row, and is passed from stage to stage to the one that gets one more. The weight of rows that stay above
/// the limit grows. The same moves on every machine.
class memory_repair {
 public:
  memory_repair(const memory_rows& rows, std::size_t stages, double limit, engine::search_clock& clock)
      : rows_(rows), stages_(stages), limit_(limit), clock_(clock), choice_(stages) {}

  /// Continues for `moves` moves. Returns whether `points` then satisfies all rows.
  ///
  /// @param fresh  whether to start anew, from the cut `points` of allowed stages
  [[nodiscard]] bool operator()(std::vector<std::size_t>& points, std::size_t moves, bool fresh) {
    if (fresh) {
      points_ = points;
      weights_.clear();
      until_.assign(stages_ + 1, 0);
      moves_ = 0;
    }
    begin();
    for (std::size_t i = 0; i < moves && !(i % 16 == 15 && clock_.look()); ++i, ++moves_) {
      const std::size_t worst = worst_row();
      if (worst == memory_rows::none) return points = points_, true;
      best_ = {};
      for (const std::size_t t : rows_.rows()[worst].tables) {
        hand_on(rows_.tables()[t].stage, true);
        hand_on(rows_.tables()[t].stage, false);
      }
      if (best_.from == 0) return false;
      for (std::size_t q = 0; q < sums_.size() && best_.change >= 0; ++q) weights_[q] += sums_[q] > limit_ ? 1 : 0;
      apply();
    }
    return false;
  }

 private:
  struct move {
    double change = 0;     // of the weighted excess of all rows
    std::size_t from = 0;  // the points [from, to] move by one item; 0: no move
    std::size_t to = 0;
    bool right = false;
  };

  void begin() {
    weights_.resize(rows_.rows().size(), 1);
    for (std::size_t s = 0; s < stages_; ++s) choice_[s] = rows_.choice(s, points_[s], points_[s + 1]);
    sums_.clear();
    for (std::size_t q = 0; q < rows_.rows().size(); ++q) sums_.push_back(rows_.sum(q, points_));
  }

  /// The excess of a row over the limit, as a multiple of the limit.
  [[nodiscard]] double excess(std::size_t q) const { return sums_[q] > limit_ ? (sums_[q] - limit_) / limit_ : 0; }

  /// A row above the limit, usually one far above it; or none.
  [[nodiscard]] std::size_t worst_row() {
    std::size_t worst = memory_rows::none;
    double most = 0;
    for (std::size_t q = 0; q < sums_.size(); ++q) {
      if (!(sums_[q] > limit_)) continue;
      const double here = excess(q) * (0.5 + random_.fraction());
      if (here >= most) most = here, worst = q;
    }
    return worst;
  }

  /// Changes the choice of a stage, and returns the change of its rows' excess.
  double put(std::size_t s, std::size_t to) {
    double change = 0;
    for (const std::size_t q : rows_.rows_of(s)) {
      const double before = excess(q);
      for (const std::size_t t : rows_.rows()[q].tables) {
        if (rows_.tables()[t].stage == s) sums_[q] += rows_.bytes(t, to) - rows_.bytes(t, choice_[s]);
      }
      change += weights_[q] * (excess(q) - before);
    }
    choice_[s] = to;
    return change;
  }

  /// The same for points moved by some items, reversible by `undo`. False: not allowed.
  bool shift(std::size_t s, std::size_t first, std::size_t last, double& change) {
    const std::size_t to = first < last ? rows_.choice(s, first, last) : memory_rows::none;
    if (to == memory_rows::none) return false;
    changed_.emplace_back(s, choice_[s]);
    change += put(s, to);
    return true;
  }

  void undo(std::size_t left) {
    for (; changed_.size() > left; changed_.pop_back()) put(changed_.back().first, changed_.back().second);
  }

  /// Evaluates moves of an item out of stage s, by its front or its back, to any of the stages there.
  void hand_on(std::size_t s, bool front) {
    if (front ? s == 0 : s + 1 == stages_) return;
    double change = 0;
    bool fits = shift(s, points_[s] + (front ? 1 : 0), points_[s + 1] - (front ? 0 : 1), change);
    for (std::size_t at = s; fits && (front ? at > 0 : at + 1 < stages_);) {
      at = front ? at - 1 : at + 1;
      const std::size_t first = points_[at];
      const std::size_t last = points_[at + 1];
      double with_it = change;
      if (front ? shift(at, first, last + 1, with_it) : shift(at, first - 1, last, with_it)) {
        consider({with_it, front ? at + 1 : s + 1, front ? s : at, front});
        undo(changed_.size() - 1);
      }
      fits = (front ? at > 0 : at + 1 < stages_) &&
             (front ? shift(at, first + 1, last + 1, change) : shift(at, first - 1, last - 1, change));
    }
    undo(0);
  }

  void consider(const move& of) {
    if (until_[of.from] > moves_ && until_[of.to] > moves_ && of.change > -1e-9) return;  // no immediate reversal
    if (best_.from == 0 || of.change < best_.change || (of.change == best_.change && random_.fraction() < 0.3))
      best_ = of;
  }

  void apply() {
    for (std::size_t at = best_.from; at <= best_.to; ++at)
      points_[at] = best_.right ? points_[at] + 1 : points_[at] - 1;
    until_[best_.from] = until_[best_.to] = moves_ + 4 + static_cast<std::size_t>(8 * random_.fraction());
    begin();  // recomputes sums, which accumulated changes
  }

  const memory_rows& rows_;
  std::size_t stages_;
  double limit_;
  engine::search_clock& clock_;
  std::vector<std::size_t> points_{};
  std::vector<std::size_t> choice_;  // per stage
  std::vector<double> sums_{};       // per row, and so are the weights
  std::vector<double> weights_{};
  std::vector<std::size_t> until_{};  // the move until which a point must not move back
  std::size_t moves_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> changed_{};  // stages and their previous choices
  move best_{};
  random_bits random_{3, 0, 0};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
