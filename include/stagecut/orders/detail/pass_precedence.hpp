// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// How much the letters of a rank have run together when one of them does: see `rank_states::least_work`.
struct letter_work {
  bool told = false;       ///< whether the letter is one of those
  std::int64_t least = 0;  ///< ticks
  std::int64_t most = 0;
};

/// Which passes of a rank come before which, whatever its word is. As each letter runs its microbatches in turn, these are so
/// many first passes of each letter.
class pass_precedence {
 public:
  /// What results wait for, and what memory implies.
  /// @param most_states  of the rank to look at, of all its stages together; where there are more each counts alone
  pass_precedence(const word_problem& of, std::size_t rank, std::size_t most_states);

  [[nodiscard]] const std::vector<std::size_t>& letters() const noexcept { return letters_; }

  /// How many passes of each letter come before pass k of the letter at place x.
  [[nodiscard]] const std::uint32_t* before(std::size_t x, std::size_t k) const noexcept {
    return before_.data() + (x * m_ + k) * letters_.size();
  }

  /// The work of all letters, by their places; empty: only each stage's own memory is known.
  [[nodiscard]] const std::vector<letter_work>& work() const noexcept { return work_; }

  /// Has `count` passes of the letter at y come before pass k of the letter at x; whether that is new.
  bool raise(std::size_t x, std::size_t k, std::size_t y, std::uint32_t count);

  /// Adds what comes before what comes before; false if a pass would come before itself.
  bool close();

 private:
  /// Before pass k of the letter at x come k + more passes of that at y.
  void raise_all(std::size_t x, std::size_t y, std::int64_t more);

  void by_results();

  void by_memory(const word_problem& of, std::size_t most_states);

  /// Of stages up to one of them at most so many microbatches are held, and of the part that waits for W.
  void by_each_stage(const word_problem& of);

  [[nodiscard]] std::int64_t held_by(std::int64_t memory, std::int64_t each) const;

  [[nodiscard]] std::size_t place(std::size_t letter) const;

  std::size_t m_;
  std::size_t rank_;
  std::vector<std::size_t> letters_{};
  std::vector<letter_work> work_{};
  std::vector<std::uint32_t> before_{};  // by letter, microbatch and letter
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/pass_precedence.ipp>
#endif
