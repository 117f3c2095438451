// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/rank_room.hpp>
#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// How far the letters of a rank can be apart within its memory, all its stages together.
///
/// A state is how many passes of each letter have run, less those of the last pass that a microbatch waits for on the rank,
/// I of its first stage. A word leads through states within the memory from which it can be ended: `room_check::in_any_way`. Those are
/// found one from the other, from the one in which nothing is in flight. Letters of W that free nothing are left out.
class rank_states {
 public:
  /// More letters are not told apart: those of four stages.
  static constexpr std::size_t most_letters = 12;

  /// @param most  states to look at
  rank_states(const word_problem& of, std::size_t rank, std::size_t most);

  /// Whether there are no more states, and letters are never further apart than is told.
  [[nodiscard]] bool known() const noexcept { return known_; }
  /// The letters that are told apart.
  [[nodiscard]] const std::vector<std::size_t>& letters() const noexcept { return letters_; }
  /// Before pass k of the letter at x come at least k + this passes of the letter at y; the greatest number: x never runs.
  [[nodiscard]] std::int64_t more_before(std::size_t x, std::size_t y) const noexcept {
    return least_[x * letters_.size() + y];
  }

  /// As pass k of the letter at x begins, the work of all that has run of the letters told is k times that of one pass of each
  /// and, in ticks, at least or at most this more.
  /// @{
  [[nodiscard]] std::int64_t least_work(std::size_t x) const noexcept { return least_work_[x]; }
  [[nodiscard]] std::int64_t most_work(std::size_t x) const noexcept { return most_work_[x]; }
  /// @}

 private:
  using state = std::array<std::int64_t, most_letters>;

  bool explore(std::size_t most);

  /// The least count of a letter, which W may have.
  [[nodiscard]] std::int64_t behind(const state& now) const noexcept;

  [[nodiscard]] std::int64_t done(const state& now, std::size_t letter) const noexcept { return now[place_[letter]]; }

  /// Whether what a pass waits for on its rank has run.
  [[nodiscard]] bool is_ready(const state& now, std::size_t x) const;

  [[nodiscard]] bool can_run(const state& now, std::size_t x);

  const word_problem& of_;
  room_check check_;
  std::size_t rank_;
  std::vector<std::size_t> place_;  // of every letter, in `letters_`
  std::vector<std::size_t> letters_{};
  std::vector<std::int64_t> least_{};  // passes of y more than of x as x runs
  std::vector<std::int64_t> least_work_{};
  std::vector<std::int64_t> most_work_{};
  bool known_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/rank_states.ipp>
#endif
