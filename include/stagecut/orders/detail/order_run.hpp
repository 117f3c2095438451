// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Runs words, again and again: when each pass ends if each begins as soon as it can. As `simulate` for messages of the
/// kinds `latency` and `link`, in whole ticks.
///
/// A *pass* is told as letter * m + microbatch.
class order_run {
 public:
  /// Ranks that wait for each other.
  static constexpr std::int64_t stuck = -1;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// What a letter takes and whom it waits for.
  struct letter_row {
    std::int64_t time = 0;
    std::int64_t hop = 0;         // of its result, to another rank
    std::uint32_t rank = 0;       // on which it runs
    std::uint32_t awaits = none;  // the letter of another stage whose result it needs
    std::uint32_t to = none;      // the rank that needs its result, if it is another one
  };

  explicit order_run(const word_problem& of);

  /// When all is over, or `stuck`. O(passes), and allocates nothing.
  /// @pre words that `word_rules` allows
  std::int64_t operator()(const order_words& words);

  [[nodiscard]] const letter_row& row(std::size_t letter) const noexcept { return rows_[letter]; }
  [[nodiscard]] std::int64_t end(std::size_t pass) const noexcept { return ends_[pass]; }
  /// When the result of a pass is where it is awaited.
  [[nodiscard]] std::int64_t arrival(std::size_t pass) const noexcept { return arrivals_[pass]; }
  /// Where a pass stands in its word.
  [[nodiscard]] std::size_t place(std::size_t pass) const noexcept { return places_[pass]; }
  /// The passes of a rank, in the order of its word.
  [[nodiscard]] const std::vector<std::uint32_t>& passes(std::size_t rank) const noexcept { return passes_[rank]; }
  /// All passes, each behind what it waits for.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }
  /// When a rank is through with everything.
  [[nodiscard]] std::int64_t rank_end(std::size_t rank) const noexcept;

 private:
  void fill(std::size_t letter);

  void start();

  /// Runs a rank until it waits for another one.
  void advance(std::uint32_t rank, const std::vector<std::uint16_t>& word);

  /// The result of a pass goes where it is awaited.
  void hand_over(const letter_row& row, std::uint32_t letter, std::uint32_t pass, std::int64_t now);

  const word_problem& of_;
  std::vector<letter_row> rows_;
  std::vector<std::int64_t> ends_;                  // of every pass
  std::vector<std::int64_t> arrivals_;              // likewise; `stuck`: it has not run yet
  std::vector<std::uint32_t> places_;               // likewise
  std::vector<std::vector<std::uint32_t>> passes_;  // of every rank
  std::vector<std::uint32_t> done_;                 // microbatches, of every letter
  std::vector<std::uint32_t> next_;                 // the place to which every rank has come
  std::vector<std::int64_t> free_;                  // when every rank has ended its passes so far
  std::vector<std::int64_t> reduced_;               // when the last all-reduce of every rank ends
  std::vector<std::uint32_t> blocked_;              // the letter that a rank awaits
  std::vector<std::int64_t> links_;                 // when every link is free
  std::vector<std::uint32_t> waiting_{};            // ranks that can go on
  std::vector<std::uint32_t> order_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/order_run.ipp>
#endif
