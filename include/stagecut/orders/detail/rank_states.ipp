// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/rank_states.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A set of numbers, by hashing. `<unordered_set>` would be as many lines again for every includer.
class number_set {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Whether it is new.
  bool insert(std::uint64_t number) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    if (!put(number + 1)) return false;
    ++size_;
    return true;
  }

 private:
  /// @param stored  a number and 1: 0 is an empty slot
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

STAGECUT_DECL rank_states::rank_states(const word_problem& of, std::size_t rank, std::size_t most)
    : of_(of), check_(of), rank_(rank), place_(of.letters()) {
  if (kinds_of_pass * of.stages_of[rank].size() > most_letters) return;
  for (const std::size_t s : of.stages_of[rank]) {
    for (const std::size_t letter : {forward_of(s), backward_of(s), weight_of(s)}) {
      const bool told = !is_weight(letter) || (of.split && of.late[s] + of.again[s] > 0);
      if (told) letters_.push_back(letter);
      place_[letter] = letters_.size() - 1;  // a W that is left out follows its I at once
    }
  }
  least_.assign(letters_.size() * letters_.size(), std::numeric_limits<std::int64_t>::max());
  least_work_.assign(letters_.size(), std::numeric_limits<std::int64_t>::max());
  most_work_.assign(letters_.size(), std::numeric_limits<std::int64_t>::min());
  known_ = explore(most);
}

STAGECUT_DECL bool rank_states::explore(std::size_t most) {
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
      // Letters are no further apart than there are microbatches.
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

STAGECUT_DECL std::int64_t rank_states::behind(const state& now) const noexcept {
  std::int64_t least = now[0];
  for (std::size_t x = 1; x < letters_.size(); ++x) least = std::min(least, now[x]);
  return least;
}

STAGECUT_DECL bool rank_states::is_ready(const state& now, std::size_t x) const {
  const std::size_t letter = letters_[x];
  const std::vector<std::size_t>& stages = of_.stages_of[rank_];
  if (!is_forward(letter) && now[x] >= done(now, letter - 1)) return false;
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    if (letter == forward_of(stages[i + 1]) && now[x] >= done(now, forward_of(stages[i]))) return false;
    if (letter == backward_of(stages[i]) && now[x] >= done(now, backward_of(stages[i + 1]))) return false;
  }
  return true;
}

STAGECUT_DECL bool rank_states::can_run(const state& now, std::size_t x) {
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
