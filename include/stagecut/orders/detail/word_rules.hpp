// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Checks whether words are allowed; for many words of one problem.
class word_rules {
 public:
  explicit word_rules(const schedule_problem& of) : of_(of), done_(of.letters()) {}

  /// Whether a word keeps within the memory of its rank and has each pass after its predecessors on its own stage. This
  /// depends on the word only, not on times. O(word).
  [[nodiscard]] bool operator()(std::size_t rank, const std::vector<std::uint16_t>& word);

 private:
  const schedule_problem& of_;
  std::vector<std::uint64_t> done_;  // per letter
};

inline bool word_rules::operator()(std::size_t rank, const std::vector<std::uint16_t>& word) {
  for (const std::size_t s : of_.stages_of[rank])
    done_[forward_of(s)] = done_[backward_of(s)] = done_[weight_of(s)] = 0;
  const bool capped = of_.capped();
  std::int64_t room = capped ? of_.memory[rank] : 0;
  for (const std::uint16_t letter : word) {
    ++done_[letter];
    if (!is_forward(letter) && done_[letter] > done_[letter - 1U]) return false;
    if (!capped) continue;
    room -= of_.taken(letter);
    if (room < 0) return false;
    room += of_.freed(letter);
  }
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
