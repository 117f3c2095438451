// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a rank could finish all microbatches that it has begun, without beginning others, within its memory.
class room_check {
 public:
  explicit room_check(const schedule_problem& of) : of_(of) {}

  /// Whether it can do so in some order. If not, no schedule leads on.
  ///
  /// Backward passes go first: each leaves more memory free than before. If none fits, the lowest microbatch with
  /// missing forward passes has to run one: no pass of a later microbatch comes before it. So one order is enough to
  /// try.
  ///
  /// @param rank  the rank
  /// @param room  its free memory, if all W that can run were done
  /// @param done  `done(letter)`: passes of a letter, from an arbitrary offset
  ///
  /// O(microbatches in flight * stages of the rank), mostly O(stages of the rank); the same for `in_turn`.
  template <class Done>
  [[nodiscard]] bool in_any_way(std::size_t rank, std::int64_t room, const Done& done) {
    if (is_enough(rank, room)) return true;
    const std::vector<std::size_t>& stages = of_.stages_of[rank];
    forward_.clear();
    backward_.clear();
    for (const std::size_t s : stages) {
      forward_.push_back(static_cast<std::int64_t>(done(forward_of(s))));
      backward_.push_back(static_cast<std::int64_t>(done(backward_of(s))));
    }
    for (;;) {
      run_backward(stages, room);
      if (backward_[0] == forward_[0]) return true;
      // The first stage on which the lowest microbatch with a missing F lacks it.
      std::size_t i = stages.size() - 1;
      while (i > 0 && forward_[i - 1] == forward_[i]) --i;
      if (i == 0 || of_.kept[stages[i]] > room) return false;
      room -= of_.kept[stages[i]];
      ++forward_[i];
    }
  }

  /// Whether it can finish one microbatch after the other, the oldest first: the banker's rule. While all ranks can,
  /// the oldest of all fits on every rank, so ranks never wait for each other's memory. If backward passes take nothing
  /// more, this is equivalent to `in_any_way`.
  template <class Done>
  [[nodiscard]] bool in_turn(std::size_t rank, std::int64_t room, const Done& done) const {
    if (is_enough(rank, room)) return true;
    const std::vector<std::size_t>& stages = of_.stages_of[rank];
    for (auto k = done(backward_of(stages[0])); k < done(forward_of(stages[0])); ++k) {
      std::int64_t missing = 0;  // for stages whose F has not run
      std::int64_t peak = 0;     // the peak beyond that while the backward passes run, the last stage first
      std::int64_t freed = 0;    // by them
      for (std::size_t i = stages.size(); i-- > 0;) {
        const std::size_t s = stages[i];
        if (done(backward_of(s)) > k) continue;
        if (done(forward_of(s)) <= k) missing += of_.kept[s];
        if (peak < of_.again[s] - freed) peak = of_.again[s] - freed;
        freed += of_.kept[s];
      }
      if (missing + peak > room) return false;
      room += freed - missing;
    }
    return true;
  }

 private:
  /// Whether any next pass fits.
  [[nodiscard]] bool is_enough(std::size_t rank, std::int64_t room) const;

  /// Runs all backward passes that fit.
  void run_backward(const std::vector<std::size_t>& stages, std::int64_t& room);

  const schedule_problem& of_;
  std::vector<std::int64_t> forward_{};  // passes per stage of the rank
  std::vector<std::int64_t> backward_{};
};

/// The memory of ranks while a schedule is built, pass by pass.
class deadlock_avoidance {
 public:
  explicit deadlock_avoidance(const schedule_problem& of)
      : of_(of), check_(of), done_(of.letters()), held_(of.ranks), late_(of.ranks) {}

  /// Starts anew.
  void clear();

  /// Passes of a letter so far.
  [[nodiscard]] std::size_t done(std::size_t letter) const noexcept { return done_[letter]; }

  /// Runs the next pass of a letter.
  void run(std::size_t letter);

  /// Whether the next pass of a letter fits now.
  [[nodiscard]] bool has_room(std::size_t letter) const noexcept;

  /// Whether the rank could still finish all its microbatches in turn after the next F of a stage.
  [[nodiscard]] bool is_safe(std::size_t stage) const;

 private:
  const schedule_problem& of_;
  room_check check_;
  std::vector<std::size_t> done_;   // per letter
  std::vector<std::int64_t> held_;  // per rank
  std::vector<std::int64_t> late_;  // the part of it that W passes ready to run would free
};

inline bool room_check::is_enough(std::size_t rank, std::int64_t room) const {
  std::int64_t kept = 0;
  std::int64_t again = 0;
  for (const std::size_t s : of_.stages_of[rank]) {
    kept += s == of_.stages_of[rank][0] ? 0 : of_.kept[s];
    again = std::max(again, of_.again[s]);
  }
  return kept + again <= room;
}

inline void room_check::run_backward(const std::vector<std::size_t>& stages, std::int64_t& room) {
  for (bool ran = true; ran;) {
    ran = false;
    for (std::size_t i = stages.size(); i-- > 0;) {
      const std::int64_t ready = i + 1 == stages.size() ? forward_[i] : backward_[i + 1];
      while (backward_[i] < ready && of_.again[stages[i]] <= room) {
        ++backward_[i];
        room += of_.kept[stages[i]];
        ran = true;
      }
    }
  }
}

inline void deadlock_avoidance::clear() {
  done_.assign(done_.size(), 0U);
  held_.assign(held_.size(), 0);
  late_.assign(late_.size(), 0);
}

inline void deadlock_avoidance::run(std::size_t letter) {
  ++done_[letter];
  if (!of_.capped()) return;
  const std::size_t s = stage_of(letter);
  const std::size_t rank = of_.rank_of[s];
  held_[rank] += of_.taken(letter) - of_.freed(letter);
  if (of_.split && is_backward(letter)) late_[rank] += of_.late[s] + of_.again[s];
  if (is_weight(letter)) late_[rank] -= of_.freed(letter);
}

inline bool deadlock_avoidance::has_room(std::size_t letter) const noexcept {
  const std::size_t rank = of_.rank_of[stage_of(letter)];
  return !of_.capped() || held_[rank] + of_.taken(letter) <= of_.memory[rank];
}

inline bool deadlock_avoidance::is_safe(std::size_t stage) const {
  if (!of_.capped()) return true;
  const std::size_t rank = of_.rank_of[stage];
  const std::int64_t room = of_.memory[rank] - held_[rank] + late_[rank] - of_.kept[stage];
  const auto done = [&](std::size_t letter) { return done_[letter] + (letter == forward_of(stage) ? 1U : 0U); };
  return check_.in_turn(rank, room, done);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
