// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Times of a chain as sums over its cut points: for a path with given pass counts per stage, each cut point adds what
/// its position moves from one stage to the other. The same for the memory of stages, if requested. See
/// docs/makespan.md, Bounds, Domains.
class point_times {
 public:
  /// @param held  must outlive this; null: no memory
  explicit point_times(const engine::chain_ticks& chain, const held_memory* held = nullptr) : chain_(chain) {
    for (std::size_t kind = 0; kind < engine::tick_message; ++kind) {
      if (kind != engine::tick_w || chain.splits) kinds_.push_back(kind);
    }
    const bool differ = chain.stages > 1 && chain.row(engine::tick_f, 0) != chain.row(engine::tick_f, 1);
    sides_ = differ ? 2 : 1;
    message_ = kinds_.size() * sides_;
    held_ = message_ + (chain.has_messages ? 1 : 0);
    width_ = held_ + (held != nullptr && held->any() ? 2 : 0);
    rows_.resize(chain.stages * width_);
    if (width_ > held_) add_held(*held);
    if (chain.has_messages) messages_.resize(chain.stages * (chain.items + 1));
    for (std::size_t j = 1; j < chain.stages; ++j) {
      for (std::size_t i = 0; i < kinds_.size(); ++i) {
        rows_[j * width_ + i * sides_] = chain.row(kinds_[i], j - 1);
        if (differ) rows_[j * width_ + i * sides_ + 1] = chain.row(kinds_[i], j);
      }
      if (!chain.has_messages) continue;
      double* const to = messages_.data() + j * (chain.items + 1);
      for (std::size_t y = 0; y <= chain.items; ++y) to[y] = chain.message(j - 1, y);
      rows_[j * width_ + message_] = to;
    }
  }
  point_times(const point_times&) = delete;
  point_times& operator=(const point_times&) = delete;

  /// Number of factors per point: passes of the stage before it, of the stage after it, messages.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::size_t stages() const noexcept { return chain_.stages; }
  [[nodiscard]] std::size_t items() const noexcept { return chain_.items; }
  /// The multipliers of number `factor` of point j, per position.
  [[nodiscard]] const double* at(std::size_t j, std::size_t factor) const noexcept {
    return rows_[j * width_ + factor];
  }

  /// A path as factors: a constant for all cuts, then `width()` per point from 1 on.
  ///
  /// @param counts  passes of the path, `[s * tick_kinds + kind]`
  void factors(const std::vector<double>& counts, std::vector<double>& to) const {
    const std::size_t stages = chain_.stages;
    to.assign(1 + (stages - 1) * width_, 0);
    for (std::size_t s = 0; s < stages; ++s) {
      for (const std::size_t kind : kinds_) to[0] += counts[s * engine::tick_kinds + kind] * chain_.own(kind, s);
    }
    for (const std::size_t kind : kinds_) {
      to[0] += counts[(stages - 1) * engine::tick_kinds + kind] * chain_.row(kind, stages - 1)[chain_.items];
    }
    for (std::size_t j = 1; j < stages; ++j) {
      double* const here = to.data() + 1 + (j - 1) * width_;
      const double* const before = counts.data() + (j - 1) * engine::tick_kinds;
      const double* const behind = counts.data() + j * engine::tick_kinds;
      for (std::size_t i = 0; i < kinds_.size(); ++i) {
        here[i * sides_] += before[kinds_[i]];
        here[i * sides_ + sides_ - 1] -= behind[kinds_[i]];
      }
      if (chain_.has_messages) here[message_] = before[engine::tick_message];
    }
  }

  /// The joint memory of stages, as such factors.
  ///
  /// @param held  the one of the constructor
  void held_factors(const held_memory& held, const std::vector<std::size_t>& of, std::vector<double>& to) const {
    to.assign(1 + (chain_.stages - 1) * width_, 0);
    for (const std::size_t s : of) {
      to[0] += held.own(s);
      if (s > 0) to[1 + (s - 1) * width_ + held_ + 1] = -1;
      if (s + 1 < chain_.stages) to[1 + s * width_ + held_] = 1;
      if (s + 1 == chain_.stages) to[0] += held.sums(s)[chain_.items];
    }
  }

  /// The largest rounding error of a sum over points; for memory, per 1 that it counts.
  ///
  /// The sum from the first point on is the time of the stages before a point, less the path's time on all items in the
  /// stage after it: below twice all items, each on its slowest stage, as often as a path can pass. Every step is
  /// rounded by at most 2^-53 of that. The factors of a combination of up to 96 rows, added in groups of eight, are
  /// rounded by less than 2^-48 of their possible size, and count for every point.
  ///
  /// @param passes  of a stage in an iteration
  [[nodiscard]] double margin(std::size_t passes) const {
    double all = 0;
    for (const std::size_t kind : kinds_) {
      for (std::size_t i = 0; i < chain_.items; ++i) {
        double most = 0;
        for (std::size_t s = 0; s < chain_.stages; ++s) {
          const double here = chain_.item(kind, s, i);
          most = std::max(most, here);
        }
        all += most;
      }
      for (std::size_t s = 0; s < chain_.stages; ++s) all += chain_.own(kind, s);
    }
    double message = 0;
    for (const double each : messages_) message = std::max(message, each);
    all = 4 * static_cast<double>(passes) * (all + 2 * static_cast<double>(chain_.stages) * message);
    all = all < 2 * most_held_ ? 2 * most_held_ : all;
    return all * static_cast<double>(chain_.stages * (width_ + 33)) * 0x1p-53 + 1;
  }

 private:
  /// Adds two factors per point: the memory of the stage before it up to there, and of the one after it, subtracted.
  void add_held(const held_memory& held) {
    double own = 0;
    for (std::size_t s = 0; s < chain_.stages; ++s) {
      const double* const sums = held.sums(s).data();
      if (s > 0) rows_[s * width_ + held_ + 1] = sums;
      if (s + 1 < chain_.stages) rows_[(s + 1) * width_ + held_] = sums;
      own += held.own(s) < 0 ? -held.own(s) : held.own(s);
      most_held_ = std::max(most_held_, sums[chain_.items]);
    }
    most_held_ = 2 * most_held_ + own;
  }

  const engine::chain_ticks& chain_;
  std::vector<std::size_t> kinds_{};
  std::size_t sides_ = 1;    // 2: stages differ, so that a point adds other times than it removes
  std::size_t message_ = 0;  // index of the message factor of a point
  std::size_t held_ = 0;     // index of the first of the two memory factors
  std::size_t width_ = 0;
  double most_held_ = 0;  // the most of all stages of a rank, at any point
  std::vector<const double*> rows_{};
  std::vector<double> messages_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
