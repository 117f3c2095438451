// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/engine/tempering.hpp>
#include <stagecut/orders/detail/order_run.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/detail/word_rules.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Shortens a schedule by moving passes within the blocks of its critical path: the passes that a rank runs there
/// without a gap. Annealing, in integers, so that every compiler gives the same result.
class order_polish {
 public:
  /// The makespan if messages occupy more than `order_run` models, or `order_run::stuck`.
  using timer = function_ref<std::int64_t(const order_names&)>;

  /// @param words  a schedule that can run
  /// @param exact  optional: its exact makespan
  order_polish(const schedule_problem& of, order_names words, timer exact = {});

  [[nodiscard]] std::int64_t best() const noexcept { return best_; }
  [[nodiscard]] const order_names& words() const noexcept { return best_words_; }

  /// Tries `moves` moves, accepting increases of up to about `hot` ticks at first and none in the end; calls `stop()`
  /// before each.
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
  /// A range of positions on a rank.
  struct block {
    std::size_t rank = 0;
    std::size_t first = 0;
    std::size_t last = 0;
  };

  /// The increase of the makespan to accept: with this mean, rarely much more.
  static std::int64_t longer(std::int64_t mean, random_bits& random);

  /// Two positions of a block: its first two, its last two, one of its ends, or any.
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

  /// Reads the last run: ends, tails, and the critical path.
  void look(random_bits& random);

  /// The work that has to follow a pass on other ranks, or at the end.
  [[nodiscard]] std::int64_t data_tail(std::size_t pass) const;

  /// Estimates the longest path through the passes that a move affects, from their current sources and tails.
  [[nodiscard]] std::int64_t estimate(std::size_t rank, std::size_t from, std::size_t to);

  /// The blocks of two or more passes on a critical path; at forks, chooses at random.
  void find_blocks(random_bits& random);

  const schedule_problem& of_;
  timer exact_;
  order_run run_;
  word_rules rules_;
  order_names words_;
  std::int64_t now_ = 0;
  std::int64_t best_ = 0;
  order_names best_words_{};
  std::vector<std::int64_t> ends_;                  // per pass, as those below
  std::vector<std::int64_t> arrivals_;              // of its result
  std::vector<std::int64_t> tails_;                 // the work after it
  std::vector<std::vector<std::uint32_t>> passes_;  // per rank, in the order of its word
  std::vector<block> blocks_{};                     // on the critical path
  std::vector<std::uint32_t> moved_{};              // passes between the positions of a move
  std::vector<std::int64_t> moved_ends_{};          // their ends after it
};

inline order_polish::order_polish(const schedule_problem& of, order_names words, timer exact)
    : of_(of),
      exact_(exact),
      run_(of),
      rules_(of),
      words_(std::move(words)),
      ends_(of.letters() * of.microbatches),
      arrivals_(ends_.size()),
      tails_(ends_.size()),
      passes_(of.ranks) {
  now_ = value();
  best_ = now_;
  best_words_ = words_;
}

inline std::int64_t order_polish::longer(std::int64_t mean, random_bits& random) {
  return static_cast<std::int64_t>(static_cast<double>(mean) * engine::metropolis(random));
}

inline std::pair<std::size_t, std::size_t> order_polish::pick(const block& within, random_bits& random) {
  const std::size_t length = within.last - within.first + 1;
  const auto any = [&] { return within.first + random.below(length); };
  switch (random.below(4)) {
    case 0: return {within.first + 1, within.first};
    case 1: return {within.last, within.last - 1};
    case 2: {
      const std::size_t from = any();
      return {from, random.below(2) == 0 ? within.first : within.last};
    }
    default: {
      const std::size_t from = any();
      return {from, any()};
    }
  }
}

inline std::int64_t order_polish::value() {
  const std::int64_t plain = run_(words_);
  return plain == order_run::stuck || !exact_ ? plain : exact_(words_);
}

inline void order_polish::try_move(std::size_t rank, std::size_t from, std::size_t to, std::int64_t limit,
                                   random_bits& random) {
  if (!exact_ && estimate(rank, from, to) > limit) return;
  std::vector<std::uint16_t>& word = words_[rank];
  move(word, from, to);
  const std::int64_t length = rules_(rank, word) ? value() : order_run::stuck;
  if (length == order_run::stuck || length > limit) {
    move(word, to, from);
    return;
  }
  now_ = length;
  if (now_ < best_) {
    best_ = now_;
    best_words_ = words_;
  }
  look(random);
}

inline void order_polish::look(random_bits& random) {
  const std::size_t m = of_.microbatches;
  if (exact_) run_(words_);
  for (std::size_t r = 0; r < of_.ranks; ++r) passes_[r] = run_.passes(r);
  const std::vector<std::uint32_t>& order = run_.order();
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::uint32_t pass = order[i];
    ends_[pass] = run_.end(pass);
    arrivals_[pass] = run_.arrival(pass);
    const std::vector<std::uint32_t>& word = passes_[run_.row(pass / m).rank];
    const std::size_t behind = run_.place(pass) + 1;
    tails_[pass] = data_tail(pass);
    if (behind == word.size()) continue;
    tails_[pass] = std::max(tails_[pass], run_.row(word[behind] / m).time + tails_[word[behind]]);
  }
  find_blocks(random);
}

inline std::int64_t order_polish::data_tail(std::size_t pass) const {
  const std::size_t m = of_.microbatches;
  const std::size_t letter = pass / m;
  const order_run::letter_row& row = run_.row(letter);
  std::int64_t tail = of_.step[row.rank];
  if (of_.ends(letter)) tail += of_.all_reduce[stage_of(letter)];
  if (row.to == order_run::none) return tail;
  const std::size_t next = is_forward(letter) ? pass + kinds_of_pass * m : pass - kinds_of_pass * m;
  return std::max(tail, row.hop + run_.row(next / m).time + tails_[next]);
}

inline std::int64_t order_polish::estimate(std::size_t rank, std::size_t from, std::size_t to) {
  const std::size_t m = of_.microbatches;
  const std::size_t first = std::min(from, to);
  const std::size_t behind = std::max(from, to) + 1;
  const std::vector<std::uint32_t>& word = passes_[rank];
  const auto at = [&](std::size_t i) { return word.begin() + static_cast<std::ptrdiff_t>(i); };
  moved_.assign(at(first), at(behind));
  move(moved_, from - first, to - first);
  std::int64_t now = first == 0 ? 0 : ends_[word[first - 1]];
  moved_ends_.clear();
  for (const std::uint32_t pass : moved_) {
    const order_run::letter_row& row = run_.row(pass / m);
    if (row.awaits != order_run::none) now = std::max(now, arrivals_[row.awaits * m + pass % m]);
    now += row.time;
    moved_ends_.push_back(now);
  }
  std::int64_t tail = behind == word.size() ? 0 : run_.row(word[behind] / m).time + tails_[word[behind]];
  std::int64_t longest = 0;
  for (std::size_t i = moved_.size(); i-- > 0;) {
    tail = std::max(tail, data_tail(moved_[i]));
    longest = std::max(longest, moved_ends_[i] + tail);
    tail += run_.row(moved_[i] / m).time;
  }
  return longest;
}

inline void order_polish::find_blocks(random_bits& random) {
  const std::size_t m = of_.microbatches;
  blocks_.clear();
  std::size_t rank = 0;
  for (std::size_t r = 1; r < of_.ranks; ++r) {
    if (run_.rank_end(r) > run_.rank_end(rank)) rank = r;
  }
  if (passes_[rank].empty()) return;
  std::size_t at = passes_[rank].size() - 1;
  std::size_t last = at;
  for (;;) {
    const std::uint32_t pass = passes_[rank][at];
    const order_run::letter_row& row = run_.row(pass / m);
    const std::int64_t start = ends_[pass] - row.time;
    const bool sent = row.awaits != order_run::none && run_.row(row.awaits).rank != rank;
    const std::size_t source = sent ? row.awaits * m + pass % m : 0;
    const bool by_data = sent && arrivals_[source] == start;
    const bool by_rank = at > 0 && ends_[passes_[rank][at - 1]] == start;
    if (by_rank && (!by_data || random.below(2) == 0)) {
      --at;
      continue;
    }
    if (at < last) blocks_.push_back({rank, at, last});
    if (!by_data || start == 0) return;
    rank = run_.row(row.awaits).rank;
    at = last = run_.place(source);
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
