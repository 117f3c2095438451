// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/deadlock_avoidance.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A pattern that repeats with every microbatch: F and I, or B, of microbatch k have the key offset + k * period.
struct order_keys {
  std::vector<std::int64_t> offset{};  ///< per letter, in ticks; unused for W
  std::int64_t period = 1;             ///< in ticks
  std::int64_t late = 0;               ///< delay of another pass that W may cause, in sixteenths of W's time
};

/// Lists words by keys: a rank runs F and I in the order of their keys, but skips those that do not fit into memory,
/// and runs W in the gaps. Message times count as under `latency`.
class cyclic_lister {
 public:
  explicit cyclic_lister(const schedule_problem& of)
      : of_(of),
        room_(of),
        arrivals_(of.letters() * of.microbatches),
        free_(of.ranks),
        late_(of.ranks),
        ran_(of.ranks) {}

  /// Writes the words; false if ranks wait for each other. O(passes * stages of a rank).
  bool operator()(const order_keys& by, order_names& words);

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t none = ~std::size_t{0};

  /// Runs the next pass of a rank; false if it waits for another rank, or has finished.
  bool step(const order_keys& by, std::size_t rank, std::vector<std::uint16_t>& word);

  /// The letter with the smallest key among those that fit; `waits`: one with a smaller key does not fit.
  [[nodiscard]] std::size_t least_key(const order_keys& by, std::size_t rank, bool& waits) const;

  /// Whether the earlier passes on the rank of the letter's next microbatch have run.
  [[nodiscard]] bool is_next(const std::vector<std::size_t>& stages, std::size_t i, std::size_t letter) const;

  /// The arrival of the next F's or I's input from another stage; `never`: not known yet.
  [[nodiscard]] std::int64_t arrival(std::size_t letter) const;

  bool run_weight(std::size_t rank, std::vector<std::uint16_t>& word);

  bool run(std::size_t rank, std::size_t letter, std::int64_t at, std::vector<std::uint16_t>& word);

  const schedule_problem& of_;
  deadlock_avoidance room_;
  std::vector<std::int64_t> arrivals_;          // of each pass's result
  std::vector<std::int64_t> free_;              // the end of every rank's passes so far
  std::vector<std::vector<std::size_t>> late_;  // the W of every rank, in the order of their I
  std::vector<std::size_t> ran_;                // number of these that have run
  std::vector<std::size_t> waiting_{};          // ranks that may continue
};

inline bool cyclic_lister::operator()(const order_keys& by, order_names& words) {
  room_.clear();
  free_.assign(free_.size(), 0);
  ran_.assign(ran_.size(), 0U);
  for (auto& each : late_) each.clear();
  words.resize(of_.ranks);
  for (auto& word : words) word.clear();
  for (std::size_t r = of_.ranks; r-- > 0;) waiting_.push_back(r);
  while (!waiting_.empty()) {
    const std::size_t rank = waiting_.back();
    waiting_.pop_back();
    while (step(by, rank, words[rank])) {
    }
  }
  for (std::size_t r = 0; r < of_.ranks; ++r) {
    if (words[r].size() != of_.kinds() * of_.stages_of[r].size() * of_.microbatches) return false;
  }
  return true;
}

inline bool cyclic_lister::step(const order_keys& by, std::size_t rank, std::vector<std::uint16_t>& word) {
  bool waits = false;
  const std::size_t letter = least_key(by, rank, waits);
  const bool has_weight = ran_[rank] < late_[rank].size();
  if (has_weight && (waits || letter == none)) return run_weight(rank, word);
  if (letter == none) return false;
  const std::int64_t at = arrival(letter);
  if (at == never) return false;
  if (has_weight) {
    const std::int64_t time = of_.time[late_[rank][ran_[rank]]];
    if (free_[rank] + time - time / 16 * by.late <= at) return run_weight(rank, word);
  }
  return run(rank, letter, at, word);
}

inline std::size_t cyclic_lister::least_key(const order_keys& by, std::size_t rank, bool& waits) const {
  std::size_t best = none;
  std::int64_t least = never;
  const std::vector<std::size_t>& stages = of_.stages_of[rank];
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::size_t s = stages[i];
    for (const std::size_t letter : {forward_of(s), backward_of(s)}) {
      const std::size_t k = room_.done(letter);
      if (k == of_.microbatches || !is_next(stages, i, letter)) continue;
      const std::int64_t key = by.offset[letter] + static_cast<std::int64_t>(k) * by.period;
      if (key >= least) continue;
      if (!room_.has_room(letter)) {
        waits = true;
        continue;
      }
      if (is_forward(letter) && !room_.is_safe(s)) continue;
      best = letter;
      least = key;
    }
  }
  return best;
}

inline bool cyclic_lister::is_next(const std::vector<std::size_t>& stages, std::size_t i, std::size_t letter) const {
  const std::size_t k = room_.done(letter);
  if (is_forward(letter)) return i == 0 || room_.done(forward_of(stages[i - 1])) > k;
  if (room_.done(letter - 1) <= k) return false;
  return i + 1 == stages.size() || room_.done(backward_of(stages[i + 1])) > k;
}

inline std::int64_t cyclic_lister::arrival(std::size_t letter) const {
  const std::size_t s = stage_of(letter);
  if (is_forward(letter) ? s == 0 : s + 1 == of_.stages()) return 0;
  const std::size_t from = is_forward(letter) ? forward_of(s - 1) : backward_of(s + 1);
  const std::size_t k = room_.done(letter);
  return room_.done(from) <= k ? never : arrivals_[from * of_.microbatches + k];
}

inline bool cyclic_lister::run_weight(std::size_t rank, std::vector<std::uint16_t>& word) {
  const std::size_t letter = late_[rank][ran_[rank]++];
  free_[rank] += of_.time[letter];
  room_.run(letter);
  word.push_back(static_cast<std::uint16_t>(letter));
  return true;
}

inline bool cyclic_lister::run(std::size_t rank, std::size_t letter, std::int64_t at,
                               std::vector<std::uint16_t>& word) {
  const std::size_t s = stage_of(letter);
  const std::size_t pass = letter * of_.microbatches + room_.done(letter);
  const std::int64_t end = std::max(free_[rank], at) + of_.time[letter];
  free_[rank] = end;
  room_.run(letter);
  word.push_back(static_cast<std::uint16_t>(letter));
  if (of_.split && is_backward(letter)) late_[rank].push_back(weight_of(s));
  if (is_forward(letter) ? s + 1 == of_.stages() : s == 0) return true;
  arrivals_[pass] = end + (is_forward(letter) ? of_.down[s] : of_.up[s - 1]);
  const std::size_t to = of_.rank_of[is_forward(letter) ? s + 1 : s - 1];
  if (to != rank) waiting_.push_back(to);
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
