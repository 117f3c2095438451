// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/rank_room.hpp>
#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A pattern that repeats with every microbatch: F and I, or B, of microbatch k have the key offset + k * period.
struct order_keys {
  std::vector<std::int64_t> offset{};  ///< of every letter, in ticks; that of W does not count
  std::int64_t period = 1;             ///< in ticks
  std::int64_t late = 0;               ///< sixteenths of its time by which W may hold up another pass
};

/// Lists words by keys: a rank runs F and I in the order of their keys, but passes over what has no room, and W in the gaps.
/// The message of a pass is under way as under `latency`.
class cyclic_lister {
 public:
  explicit cyclic_lister(const word_problem& of)
      : of_(of),
        room_(of),
        arrivals_(of.letters() * of.microbatches),
        free_(of.ranks),
        late_(of.ranks),
        ran_(of.ranks) {}

  /// Writes the words; false where ranks wait for each other. O(passes * stages of a rank).
  bool operator()(const order_keys& by, order_words& words);

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t none = ~std::size_t{0};

  /// Runs the next pass of a rank; false if it waits for another rank, or is through.
  bool step(const order_keys& by, std::size_t rank, std::vector<std::uint16_t>& word);

  /// The letter with the least key of those that have room; `waits`: one with a lesser key has none.
  [[nodiscard]] std::size_t least_key(const order_keys& by, std::size_t rank, bool& waits) const;

  /// Whether the passes of its microbatch have run that come before the next one of a letter on its rank.
  [[nodiscard]] bool is_next(const std::vector<std::size_t>& stages, std::size_t i, std::size_t letter) const;

  /// When what the next pass of F or I needs from another stage is there; `never`: nobody knows yet.
  [[nodiscard]] std::int64_t arrival(std::size_t letter) const;

  bool run_weight(std::size_t rank, std::vector<std::uint16_t>& word);

  bool run(std::size_t rank, std::size_t letter, std::int64_t at, std::vector<std::uint16_t>& word);

  const word_problem& of_;
  rank_room room_;
  std::vector<std::int64_t> arrivals_;          // of the result of every pass
  std::vector<std::int64_t> free_;              // when every rank has ended its passes so far
  std::vector<std::vector<std::size_t>> late_;  // the W of every rank, in the order of their I
  std::vector<std::size_t> ran_;                // how many of these it has run
  std::vector<std::size_t> waiting_{};          // ranks that may go on
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/cyclic_lister.ipp>
#endif
