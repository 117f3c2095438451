// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Runs words repeatedly: the end of each pass if each begins as soon as it can. As `simulate` for messages of the
/// kinds `latency` and `link`, in whole ticks.
///
/// A *pass* is given as letter * m + microbatch.
class order_run {
 public:
  /// The result if ranks wait for each other.
  static constexpr std::int64_t stuck = -1;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// The duration and dependencies of a letter.
  struct letter_row {
    std::int64_t time = 0;
    std::int64_t hop = 0;         // of its result, to another rank
    std::uint32_t rank = 0;       // its rank
    std::uint32_t awaits = none;  // the letter of another stage whose result it needs
    std::uint32_t to = none;      // the rank that needs its result, if it is another one
  };

  explicit order_run(const schedule_problem& of);

  /// The makespan, or `stuck`. O(passes), without allocation.
  /// @pre words that `word_rules` allows
  std::int64_t operator()(const order_names& words);

  [[nodiscard]] const letter_row& row(std::size_t letter) const noexcept { return rows_[letter]; }
  [[nodiscard]] std::int64_t end(std::size_t pass) const noexcept { return ends_[pass]; }
  /// The arrival of a pass's result.
  [[nodiscard]] std::int64_t arrival(std::size_t pass) const noexcept { return arrivals_[pass]; }
  /// The position of a pass in its word.
  [[nodiscard]] std::size_t place(std::size_t pass) const noexcept { return places_[pass]; }
  /// The passes of a rank, in the order of its word.
  [[nodiscard]] const std::vector<std::uint32_t>& passes(std::size_t rank) const noexcept { return passes_[rank]; }
  /// All passes in topological order.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }
  /// The end of all work of a rank.
  [[nodiscard]] std::int64_t rank_end(std::size_t rank) const noexcept;

 private:
  void fill(std::size_t letter);

  void start();

  /// Runs a rank until it waits for another one.
  void advance(std::uint32_t rank, const std::vector<std::uint16_t>& word);

  /// Delivers the result of a pass to its receiver.
  void hand_over(const letter_row& row, std::uint32_t letter, std::uint32_t pass, std::int64_t now);

  const schedule_problem& of_;
  std::vector<letter_row> rows_;
  std::vector<std::int64_t> ends_;                  // per pass
  std::vector<std::int64_t> arrivals_;              // per pass; `stuck`: it has not run yet
  std::vector<std::uint32_t> places_;               // per pass
  std::vector<std::vector<std::uint32_t>> passes_;  // per rank
  std::vector<std::uint32_t> done_;                 // microbatches, per letter
  std::vector<std::uint32_t> next_;                 // the current position of every rank
  std::vector<std::int64_t> free_;                  // the end of every rank's passes so far
  std::vector<std::int64_t> reduced_;               // the end of every rank's last all-reduce
  std::vector<std::uint32_t> blocked_;              // the letter that a rank waits for
  std::vector<std::int64_t> links_;                 // when every link is free
  std::vector<std::uint32_t> waiting_{};            // ranks that can continue
  std::vector<std::uint32_t> order_{};
};

inline order_run::order_run(const schedule_problem& of)
    : of_(of),
      rows_(of.letters()),
      ends_(of.letters() * of.microbatches),
      arrivals_(ends_.size()),
      places_(ends_.size()),
      passes_(of.ranks),
      done_(of.letters()),
      next_(of.ranks),
      free_(of.ranks),
      reduced_(of.ranks),
      blocked_(of.ranks),
      links_(of.links ? of.ranks * of.ranks : 0) {
  for (std::size_t letter = 0; letter < of.letters(); ++letter) fill(letter);
  for (std::size_t r = 0; r < of.ranks; ++r) {
    passes_[r].resize(of.kinds() * of.stages_of[r].size() * of.microbatches);
  }
  order_.reserve(ends_.size());
}

inline std::int64_t order_run::operator()(const order_names& words) {
  start();
  for (std::size_t r = 0; r < of_.ranks; ++r) {
    waiting_.push_back(static_cast<std::uint32_t>(r));
    while (!waiting_.empty()) {
      const std::uint32_t rank = waiting_.back();
      waiting_.pop_back();
      advance(rank, words[rank]);
    }
  }
  std::int64_t last = 0;
  for (std::size_t r = 0; r < of_.ranks; ++r) {
    if (next_[r] != words[r].size()) return stuck;
    last = std::max(last, rank_end(r));
  }
  return last;
}

inline std::int64_t order_run::rank_end(std::size_t rank) const noexcept {
  return std::max(free_[rank], reduced_[rank]) + of_.step[rank];
}

inline void order_run::fill(std::size_t letter) {
  const std::size_t s = stage_of(letter);
  letter_row& row = rows_[letter];
  row.time = of_.time[letter];
  row.rank = static_cast<std::uint32_t>(of_.rank_of[s]);
  const bool first = s == 0;
  const bool last = s + 1 == of_.stages();
  if (is_forward(letter) && !first) row.awaits = static_cast<std::uint32_t>(forward_of(s - 1));
  if (is_backward(letter) && !last) row.awaits = static_cast<std::uint32_t>(backward_of(s + 1));
  if (is_weight(letter) || (is_forward(letter) ? last : first)) return;
  const std::size_t to = is_forward(letter) ? s + 1 : s - 1;
  if (of_.rank_of[to] == of_.rank_of[s]) return;
  row.to = static_cast<std::uint32_t>(of_.rank_of[to]);
  row.hop = is_forward(letter) ? of_.down[s] : of_.up[to];
}

inline void order_run::start() {
  arrivals_.assign(arrivals_.size(), stuck);
  done_.assign(done_.size(), 0U);
  next_.assign(next_.size(), 0U);
  free_.assign(free_.size(), 0);
  reduced_.assign(reduced_.size(), 0);
  blocked_.assign(blocked_.size(), none);
  links_.assign(links_.size(), 0);
  waiting_.clear();
  order_.clear();
}

inline void order_run::advance(std::uint32_t rank, const std::vector<std::uint16_t>& word) {
  const auto m = static_cast<std::uint32_t>(of_.microbatches);
  std::int64_t now = free_[rank];
  std::uint32_t at = next_[rank];
  blocked_[rank] = none;
  for (; at < word.size(); ++at) {
    const std::uint32_t letter = word[at];
    const letter_row& row = rows_[letter];
    const std::uint32_t k = done_[letter];
    if (row.awaits != none) {
      const std::int64_t ready = arrivals_[row.awaits * m + k];
      if (ready == stuck) {
        blocked_[rank] = row.awaits;
        break;
      }
      now = std::max(now, ready);
    }
    now += row.time;
    const std::uint32_t pass = letter * m + k;
    ends_[pass] = now;
    places_[pass] = at;
    passes_[rank][at] = pass;
    order_.push_back(pass);
    done_[letter] = k + 1;
    hand_over(row, letter, pass, now);
    if (k + 1 == m && of_.ends(letter)) {
      reduced_[rank] = std::max(reduced_[rank], now) + of_.all_reduce[stage_of(letter)];
    }
  }
  next_[rank] = at;
  free_[rank] = now;
}

inline void order_run::hand_over(const letter_row& row, std::uint32_t letter, std::uint32_t pass, std::int64_t now) {
  if (row.to == none) {
    arrivals_[pass] = now;
    return;
  }
  if (of_.links) {
    std::int64_t& link = links_[row.rank * of_.ranks + row.to];
    link = std::max(now, link) + row.hop;
    arrivals_[pass] = link;
  } else {
    arrivals_[pass] = now + row.hop;
  }
  if (blocked_[row.to] != letter) return;
  blocked_[row.to] = none;
  waiting_.push_back(row.to);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
