// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Bounds on the work of a rank's letters that has run when a letter runs: see `rank_states::least_work`.
struct letter_work {
  bool told = false;       ///< whether the letter is included
  std::int64_t least = 0;  ///< ticks
  std::int64_t most = 0;
};

/// The precedences of a rank's passes that hold in every word. As each letter runs its microbatches in turn, the
/// predecessors are the first passes of each letter, given by counts.
class pass_precedence {
 public:
  /// Derives them from data dependencies and from memory.
  /// @param most_states  limit for the states of the rank, over all its stages together; above it, each stage counts
  ///                     alone
  pass_precedence(const schedule_problem& of, std::size_t rank, std::size_t most_states);

  [[nodiscard]] const std::vector<std::size_t>& letters() const noexcept { return letters_; }

  /// The number of passes of each letter before pass k of the letter at index x.
  [[nodiscard]] const std::uint32_t* before(std::size_t x, std::size_t k) const noexcept {
    return before_.data() + (x * m_ + k) * letters_.size();
  }

  /// The work of all letters, by index; empty: only each stage's own memory is known.
  [[nodiscard]] const std::vector<letter_work>& work() const noexcept { return work_; }

  /// Requires `count` passes of the letter at y before pass k of the letter at x; returns whether that is new.
  bool raise(std::size_t x, std::size_t k, std::size_t y, std::uint32_t count);

  /// Computes the transitive closure; false if a pass would precede itself.
  bool close();

 private:
  /// Requires k + `more` passes of the letter at y before pass k of the letter at x.
  void raise_all(std::size_t x, std::size_t y, std::int64_t more);

  void by_results();

  void by_memory(const schedule_problem& of, std::size_t most_states);

  /// Derives precedences from each stage: at most this many microbatches are held on stages up to it, and in the part
  /// that waits for W.
  void by_each_stage(const schedule_problem& of);

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
