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

/// Decides which of its ready passes a rank runs.
struct order_policy {
  std::vector<std::int64_t>
      bonus{};  ///< per letter, in ticks: it is preferred to passes that could begin that much earlier
  std::vector<std::size_t> in_flight{};  ///< per stage, the most microbatches between F and I
  std::int64_t room_bonus = 0;           ///< of W, in ticks, while another pass waits for memory
};

/// Lists words by running all ranks in the order of time, each with the pass that a policy prefers. Message times count
/// as under `latency`.
class policy_lister {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  explicit policy_lister(const schedule_problem& of)
      : of_(of), room_(of), arrivals_(of.letters() * of.microbatches), free_(of.ranks), next_(of.ranks) {}

  /// Writes the words; false if no pass can run, which under the rule of `is_safe` only limits in flight can cause.
  /// O(passes * (ranks + stages of a rank)).
  bool operator()(const order_policy& by, order_names& words);

 private:
  /// The next pass of a rank, and its start.
  struct choice {
    std::int64_t start = never;
    std::size_t letter = 0;
  };

  /// The earliest start of a letter's next pass; `never`: not known yet.
  [[nodiscard]] std::int64_t start(std::size_t letter) const;

  void choose(const order_policy& by, std::size_t rank);

  void run(const order_policy& by, std::size_t rank, std::vector<std::uint16_t>& word);

  const schedule_problem& of_;
  deadlock_avoidance room_;
  std::vector<std::int64_t> arrivals_;  // of each pass's result
  std::vector<std::int64_t> free_;      // the end of every rank's passes so far
  std::vector<choice> next_;            // per rank
};

inline bool policy_lister::operator()(const order_policy& by, order_names& words) {
  room_.clear();
  free_.assign(free_.size(), 0);
  words.resize(of_.ranks);
  for (auto& word : words) word.clear();
  for (std::size_t r = 0; r < of_.ranks; ++r) choose(by, r);
  for (std::size_t left = of_.kinds() * of_.stages() * of_.microbatches; left > 0; --left) {
    std::size_t rank = 0;
    for (std::size_t r = 1; r < of_.ranks; ++r) {
      if (next_[r].start < next_[rank].start) rank = r;
    }
    if (next_[rank].start == never) return false;
    run(by, rank, words[rank]);
  }
  return true;
}

inline std::int64_t policy_lister::start(std::size_t letter) const {
  const std::size_t s = stage_of(letter);
  const std::size_t k = room_.done(letter);
  if (k == of_.microbatches) return never;
  const std::int64_t free = free_[of_.rank_of[s]];
  if (!is_forward(letter) && room_.done(letter - 1) <= k) return never;
  if (is_weight(letter) || (is_forward(letter) ? s == 0 : s + 1 == of_.stages())) return free;
  const std::size_t from = is_forward(letter) ? forward_of(s - 1) : backward_of(s + 1);
  return room_.done(from) <= k ? never : std::max(free, arrivals_[from * of_.microbatches + k]);
}

inline void policy_lister::choose(const order_policy& by, std::size_t rank) {
  next_[rank].start = never;
  std::int64_t least = never;
  bool waits = false;
  const auto consider = [&](std::size_t letter, std::int64_t at, std::int64_t bonus) {
    if (at - bonus >= least) return;
    least = at - bonus;
    next_[rank] = {at, letter};
  };
  const auto fits = [&](std::size_t letter) {
    const bool room = room_.has_room(letter);
    waits = waits || !room;
    return room;
  };
  const std::vector<std::size_t>& stages = of_.stages_of[rank];
  for (const std::size_t s : stages) {
    const std::int64_t at = start(backward_of(s));
    if (at != never && fits(backward_of(s))) consider(backward_of(s), at, by.bonus[backward_of(s)]);
  }
  for (std::size_t i = stages.size(); i-- > 0;) {
    const std::size_t letter = forward_of(stages[i]);
    const std::int64_t at = start(letter);
    if (at == never || room_.done(letter) - room_.done(letter + 1) >= by.in_flight[stages[i]] || !fits(letter))
      continue;
    if (room_.is_safe(stages[i])) consider(letter, at, by.bonus[letter]);
  }
  for (std::size_t i = 0; of_.split && i < stages.size(); ++i) {
    const std::size_t letter = weight_of(stages[i]);
    const std::int64_t at = start(letter);
    if (at != never) consider(letter, at, by.bonus[letter] + (waits ? by.room_bonus : 0));
  }
}

inline void policy_lister::run(const order_policy& by, std::size_t rank, std::vector<std::uint16_t>& word) {
  const choice now = next_[rank];
  const std::size_t s = stage_of(now.letter);
  const std::size_t pass = now.letter * of_.microbatches + room_.done(now.letter);
  const std::int64_t end = now.start + of_.time[now.letter];
  free_[rank] = end;
  room_.run(now.letter);
  word.push_back(static_cast<std::uint16_t>(now.letter));
  std::size_t other = rank;
  if (is_forward(now.letter) && s + 1 < of_.stages()) {
    arrivals_[pass] = end + of_.down[s];
    other = of_.rank_of[s + 1];
  } else if (is_backward(now.letter) && s > 0) {
    arrivals_[pass] = end + of_.up[s - 1];
    other = of_.rank_of[s - 1];
  }
  choose(by, rank);
  if (other != rank) choose(by, other);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
