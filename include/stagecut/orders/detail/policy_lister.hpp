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

/// What decides which of the passes that it could run a rank runs.
struct order_policy {
  std::vector<std::int64_t>
      bonus{};  ///< of every letter, in ticks: it is preferred to what could begin that much earlier
  std::vector<std::size_t> in_flight{};  ///< of every stage, microbatches between F and I at most
  std::int64_t room_bonus = 0;           ///< of W, in ticks, while another pass waits for memory
};

/// Lists words by running all ranks in the order of time, each with the pass that a policy prefers. The message of a pass is
/// under way as under `latency`.
class policy_lister {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  explicit policy_lister(const word_problem& of)
      : of_(of), room_(of), arrivals_(of.letters() * of.microbatches), free_(of.ranks), next_(of.ranks) {}

  /// Writes the words; false where no pass can run, which the rule of `is_safe` leaves to limits in flight alone.
  /// O(passes * (ranks + stages of a rank)).
  bool operator()(const order_policy& by, order_words& words);

 private:
  /// What a rank runs next, and when.
  struct choice {
    std::int64_t start = never;
    std::size_t letter = 0;
  };

  /// When the next pass of a letter could begin; `never`: nobody knows yet.
  [[nodiscard]] std::int64_t start(std::size_t letter) const;

  void choose(const order_policy& by, std::size_t rank);

  void run(const order_policy& by, std::size_t rank, std::vector<std::uint16_t>& word);

  const word_problem& of_;
  rank_room room_;
  std::vector<std::int64_t> arrivals_;  // of the result of every pass
  std::vector<std::int64_t> free_;      // when every rank has ended its passes so far
  std::vector<choice> next_;            // of every rank
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/policy_lister.ipp>
#endif
