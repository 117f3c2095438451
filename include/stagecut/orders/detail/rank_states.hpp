// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/deadlock_avoidance.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The possible differences in progress between the letters of a rank within its memory, over all its stages.
///
/// A state is the number of passes of each letter that have run, less the number of I of the rank's first stage, the
/// last pass that a microbatch waits for on the rank. A word leads through states within the memory from which it can be
/// completed: `room_check::in_any_way`. The states are enumerated from the one with nothing in flight. Letters of W
/// that free nothing are omitted.
class rank_states {
 public:
  /// More letters are not distinguished: those of four stages.
  static constexpr std::size_t most_letters = 12;

  /// @param most  states to examine
  rank_states(const schedule_problem& of, std::size_t rank, std::size_t most);

  /// Whether all states were found, so that letters never differ by more than stated below.
  [[nodiscard]] bool known() const noexcept { return known_; }
  /// The letters that are distinguished.
  [[nodiscard]] const std::vector<std::size_t>& letters() const noexcept { return letters_; }
  /// At least k + this many passes of the letter at y come before pass k of the letter at x; the largest number: x
  /// never runs.
  [[nodiscard]] std::int64_t more_before(std::size_t x, std::size_t y) const noexcept {
    return least_[x * letters_.size() + y];
  }

  /// When pass k of the letter at x begins, the work done of the distinguished letters is k times the work of one
  /// pass of each plus, in ticks, at least or at most this.
  /// @{
  [[nodiscard]] std::int64_t least_work(std::size_t x) const noexcept { return least_work_[x]; }
  [[nodiscard]] std::int64_t most_work(std::size_t x) const noexcept { return most_work_[x]; }
  /// @}

 private:
  using state = std::array<std::int64_t, most_letters>;

  bool explore(std::size_t most);

  /// The smallest count of a letter, which may be a W.
  [[nodiscard]] std::int64_t behind(const state& now) const noexcept;

  [[nodiscard]] std::int64_t done(const state& now, std::size_t letter) const noexcept { return now[place_[letter]]; }

  /// Whether the dependencies of a pass on its rank have run.
  [[nodiscard]] bool is_ready(const state& now, std::size_t x) const;

  [[nodiscard]] bool can_run(const state& now, std::size_t x);

  const schedule_problem& of_;
  room_check check_;
  std::size_t rank_;
  std::vector<std::size_t> place_;  // per letter, in `letters_`
  std::vector<std::size_t> letters_{};
  std::vector<std::int64_t> least_{};  // passes of y more than of x when x runs
  std::vector<std::int64_t> least_work_{};
  std::vector<std::int64_t> most_work_{};
  bool known_ = false;
};

/// A hash set of numbers. `<unordered_set>` would double the lines for every includer.
class number_set {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns whether it is new.
  bool insert(std::uint64_t number) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    if (!put(number + 1)) return false;
    ++size_;
    return true;
  }

 private:
  /// @param stored  a number plus 1: 0 is an empty slot
  bool put(std::uint64_t stored) {
    std::size_t at = static_cast<std::size_t>(stored * 0x9E3779B97F4A7C15U >> 20U) & (slots_.size() - 1);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == stored) return false;
    }
    slots_[at] = stored;
    return true;
  }

  void grow() {
    std::vector<std::uint64_t> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const std::uint64_t each : old) {
      if (each != 0) put(each);
    }
  }

  std::vector<std::uint64_t> slots_{};
  std::size_t size_ = 0;
};

inline rank_states::rank_states(const schedule_problem& of, std::size_t rank, std::size_t most)
    : of_(of), check_(of), rank_(rank), place_(of.letters()) {
  if (kinds_of_pass * of.stages_of[rank].size() > most_letters) return;
  for (const std::size_t s : of.stages_of[rank]) {
    for (const std::size_t letter : {forward_of(s), backward_of(s), weight_of(s)}) {
      const bool told = !is_weight(letter) || (of.split && of.late[s] + of.again[s] > 0);
      if (told) letters_.push_back(letter);
      place_[letter] = letters_.size() - 1;  // an omitted W directly follows its I
    }
  }
  least_.assign(letters_.size() * letters_.size(), std::numeric_limits<std::int64_t>::max());
  least_work_.assign(letters_.size(), std::numeric_limits<std::int64_t>::max());
  most_work_.assign(letters_.size(), std::numeric_limits<std::int64_t>::min());
  known_ = explore(most);
}

inline bool rank_states::explore(std::size_t most) {
  const std::size_t n = letters_.size();
  const auto bits = static_cast<unsigned>(64 / n);
  const std::int64_t far = (std::int64_t{1} << (bits - 1)) - 1;
  const auto m = static_cast<std::int64_t>(of_.microbatches);
  number_set seen;
  seen.insert(0);
  std::vector<state> open{state{}};
  while (!open.empty()) {
    const state now = open.back();
    open.pop_back();
    for (std::size_t x = 0; x < n; ++x) {
      // Letters differ by at most the number of microbatches.
      if (now[x] == m || (x == 1 && behind(now) == -m) || !can_run(now, x)) continue;
      std::int64_t work = 0;
      for (std::size_t y = 0; y < n; ++y) {
        least_[x * n + y] = std::min(least_[x * n + y], now[y] - now[x]);
        work += of_.time[letters_[y]] * (now[y] - now[x]);
      }
      least_work_[x] = std::min(least_work_[x], work);
      most_work_[x] = std::max(most_work_[x], work);
      state next = now;
      ++next[x];
      const std::int64_t through = next[1];
      std::uint64_t name = 0;
      for (std::size_t y = 0; y < n; ++y) {
        next[y] -= through;
        if (next[y] > far || next[y] < -far) return false;
        name = name << bits | (static_cast<std::uint64_t>(next[y]) & ((std::uint64_t{1} << bits) - 1));
      }
      if (!seen.insert(name)) continue;
      if (seen.size() > most) return false;
      open.push_back(next);
    }
  }
  return true;
}

inline std::int64_t rank_states::behind(const state& now) const noexcept {
  std::int64_t least = now[0];
  for (std::size_t x = 1; x < letters_.size(); ++x) least = std::min(least, now[x]);
  return least;
}

inline bool rank_states::is_ready(const state& now, std::size_t x) const {
  const std::size_t letter = letters_[x];
  const std::vector<std::size_t>& stages = of_.stages_of[rank_];
  if (!is_forward(letter) && now[x] >= done(now, letter - 1)) return false;
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    if (letter == forward_of(stages[i + 1]) && now[x] >= done(now, forward_of(stages[i]))) return false;
    if (letter == backward_of(stages[i]) && now[x] >= done(now, backward_of(stages[i + 1]))) return false;
  }
  return true;
}

inline bool rank_states::can_run(const state& now, std::size_t x) {
  const std::size_t letter = letters_[x];
  if (!is_ready(now, x)) return false;
  if (is_weight(letter)) return true;
  std::int64_t room = of_.memory[rank_];  // if all W had run
  std::int64_t late = 0;
  for (const std::size_t s : of_.stages_of[rank_]) {
    room -= of_.kept[s] * (done(now, forward_of(s)) - done(now, backward_of(s)));
    late += (of_.late[s] + of_.again[s]) * (done(now, backward_of(s)) - done(now, weight_of(s)));
  }
  if (of_.taken(letter) > room - late) return false;
  if (is_backward(letter)) return true;
  const auto after = [&](std::size_t each) { return done(now, each) + (each == letter ? 1 : 0); };
  return check_.in_any_way(rank_, room - of_.kept[stage_of(letter)], after);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
