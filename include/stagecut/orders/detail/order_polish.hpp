// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/orders/detail/order_run.hpp>
#include <stagecut/orders/detail/word_problem.hpp>
#include <stagecut/orders/detail/word_rules.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Shortens an order by moving passes within the blocks of its critical path: the passes that a rank runs there without a
/// gap. Annealing, in whole numbers, so that every compiler makes the same.
class order_polish {
 public:
  /// What an order takes where messages occupy more than `order_run` knows, or `order_run::stuck`.
  using timer = function_ref<std::int64_t(const order_words&)>;

  /// @param words  an order that can run
  /// @param exact  optional: when it ends
  order_polish(const word_problem& of, order_words words, timer exact = {});

  [[nodiscard]] std::int64_t best() const noexcept { return best_; }
  [[nodiscard]] const order_words& words() const noexcept { return best_words_; }

  /// Tries so many moves, longer ones by up to about `hot` ticks at first and none in the end; `stop()` is asked before each.
  template <class Stop>
  void anneal(std::size_t moves, std::int64_t hot, random_bits& random, const Stop& stop) {
    look(random);
    for (std::size_t i = 0; i < moves && !blocks_.empty() && !stop(); ++i) {
      const block& within = blocks_[random.below(blocks_.size())];
      const auto [from, to] = pick(within, random);
      if (from == to) continue;
      const auto left = static_cast<wide_integer>(moves - i);
      const auto heat = static_cast<std::int64_t>(hot * left / static_cast<wide_integer>(moves));
      try_move(within.rank, from, to, now_ + longer(heat, random), random);
    }
  }

 private:
  /// Places of a rank.
  struct block {
    std::size_t rank = 0;
    std::size_t first = 0;
    std::size_t last = 0;
  };

  /// By how much a move may lengthen the order: of this mean, rarely much more.
  static std::int64_t longer(std::int64_t mean, random_bits& random);

  /// Two places of a block: its first two, its last two, one of its ends, or any.
  static std::pair<std::size_t, std::size_t> pick(const block& within, random_bits& random);

  [[nodiscard]] std::int64_t value();

  void try_move(std::size_t rank, std::size_t from, std::size_t to, std::int64_t limit, random_bits& random);

  template <class Sequence>
  static void move(Sequence& word, std::size_t from, std::size_t to) {
    const auto moved = word[from];
    for (std::size_t i = from; i < to; ++i) word[i] = word[i + 1];
    for (std::size_t i = from; i > to; --i) word[i] = word[i - 1];
    word[to] = moved;
  }

  /// Takes over what the last run says: ends, what comes behind each pass, and the critical path.
  void look(random_bits& random);

  /// What has to follow a pass on other ranks, or at the end.
  [[nodiscard]] std::int64_t data_tail(std::size_t pass) const;

  /// About the longest path through the passes that a move touches, from their sources and tails of now.
  [[nodiscard]] std::int64_t estimate(std::size_t rank, std::size_t from, std::size_t to);

  /// The blocks of two passes and more on a critical path; where it forks, at random.
  void find_blocks(random_bits& random);

  const word_problem& of_;
  timer exact_;
  order_run run_;
  word_rules rules_;
  order_words words_;
  std::int64_t now_ = 0;
  std::int64_t best_ = 0;
  order_words best_words_{};
  std::vector<std::int64_t> ends_;                  // of every pass, as those below
  std::vector<std::int64_t> arrivals_;              // of its result
  std::vector<std::int64_t> tails_;                 // what comes behind it
  std::vector<std::vector<std::uint32_t>> passes_;  // of every rank, in the order of its word
  std::vector<block> blocks_{};                     // of the critical path
  std::vector<std::uint32_t> moved_{};              // passes between the places of a move
  std::vector<std::int64_t> moved_ends_{};          // when they would end
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/order_polish.ipp>
#endif
