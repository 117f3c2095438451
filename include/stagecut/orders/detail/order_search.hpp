// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/orders/detail/cyclic_lister.hpp>
#include <stagecut/orders/detail/order_polish.hpp>
#include <stagecut/orders/detail/order_run.hpp>
#include <stagecut/orders/detail/policy_lister.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Searches for a short schedule: lists by policies and by keys, repeated random changes of the best of each, and moves
/// within the best schedule of all.
class order_search {
 public:
  static constexpr std::int64_t never = policy_lister::never;
  /// `stop(schedules evaluated)`, called before each.
  using stopper = function_ref<bool(std::size_t)>;

  order_search(const schedule_problem& of, std::uint64_t seed, stopper stop);

  /// Takes an external schedule.
  /// @pre words that `word_rules` allows
  void take(order_names words);

  /// Finds some schedule quickly, if there is one that is easy to find.
  void begin() {
    for (const std::size_t quarters : {4U, 4000U}) try_policy(even_policy(quarters, 1, 4, 0));
  }

  /// Searches until a schedule meets the bound, a stop, or `rounds` changes of the best; the first call also tries a
  /// fixed set of lists.
  void look(std::int64_t bound, std::size_t rounds);

  /// The makespan and the words of the best schedule; `never` and empty: none yet.
  /// @{
  [[nodiscard]] std::int64_t makespan() const noexcept { return makespan_; }
  [[nodiscard]] const order_names& words() const noexcept { return best_; }
  /// @}
  /// Number of schedules evaluated.
  [[nodiscard]] std::size_t looked_at() const noexcept { return looked_at_; }
  /// The work of the most loaded rank per microbatch, in ticks.
  [[nodiscard]] std::int64_t period() const noexcept { return period_; }

 private:
  [[nodiscard]] bool over() { return makespan_ <= bound_ || stop_(looked_at_); }

  void keep(std::int64_t makespan);

  template <class Lister, class By>
  std::int64_t list(Lister& lister, const By& by) {
    ++looked_at_;
    if (!lister(by, words_)) return never;
    const std::int64_t makespan = run_(words_);
    keep(makespan);
    return makespan == order_run::stuck ? never : makespan;
  }

  void try_policy(order_policy by);

  void try_keys(order_keys by);

  /// Tries policies that are the same on all stages: microbatches in flight, and waiting times for F and I.
  void list_policies();

  /// @param quarters  of the microbatches in flight under 1F1B
  /// @param forward   preference for F, in eighths of the period
  [[nodiscard]] order_policy even_policy(std::size_t quarters, std::int64_t forward, std::int64_t backward,
                                         std::int64_t room) const;

  /// Tries the keys of a microbatch that runs down and up alone, in that time or up to twice and three times that.
  void list_cycles();

  [[nodiscard]] order_keys empty_keys() const {
    return {std::vector<std::int64_t>(of_.letters()), period_ > 0 ? period_ : 1, 8};
  }

  /// Learns the average keys of the best schedule.
  void learn_keys();

  /// A random change of up to a period, or up to an eighth of one, in either direction.
  [[nodiscard]] std::int64_t change();

  /// Two numbers below n, the smaller first.
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(std::size_t n);

  void vary_policies(std::size_t times);

  void vary_keys(std::size_t times);

  void polish(std::size_t moves);

  const schedule_problem& of_;
  order_run run_;
  policy_lister policies_;
  cyclic_lister cycles_;
  random_bits random_;
  stopper stop_;
  std::int64_t bound_ = 0;
  std::int64_t period_ = 0;
  std::int64_t longest_ = 0;  // of all passes
  order_names words_{};       // last evaluated
  order_names best_{};
  std::int64_t makespan_ = never;
  order_policy policy_{};  // the one with the best list
  std::int64_t policy_makespan_ = never;
  order_keys keys_{};  // those with the best list
  std::int64_t keys_makespan_ = never;
  bool listed_ = false;
  std::size_t effort_ = 64;
  std::size_t round_ = 0;
  std::size_t looked_at_ = 0;
};

inline order_search::order_search(const schedule_problem& of, std::uint64_t seed, stopper stop)
    : of_(of), run_(of), policies_(of), cycles_(of), random_(seed, 0, 0), stop_(stop) {
  for (std::size_t r = 0; r < of.ranks; ++r) {
    std::int64_t work = 0;
    for (const std::size_t s : of.stages_of[r]) {
      for (std::size_t kind = 0; kind < of.kinds(); ++kind) {
        const std::int64_t time = of.time[kinds_of_pass * s + kind];
        work += time;
        longest_ = std::max(longest_, time);
      }
    }
    period_ = std::max(period_, work);
  }
}

inline void order_search::take(order_names words) {
  words_ = std::move(words);
  keep(run_(words_));
}

inline void order_search::look(std::int64_t bound, std::size_t rounds) {
  bound_ = bound;
  if (!listed_) {
    listed_ = true;
    list_policies();
    list_cycles();
    if (!best_.empty() && !over()) learn_keys();
  }
  for (std::size_t round = 0; round < rounds && !best_.empty() && !over(); ++round) {
    vary_policies(effort_);
    vary_keys(effort_);
    if (!over()) polish(64 * effort_);
    effort_ += effort_ / 2;
  }
}

inline void order_search::keep(std::int64_t makespan) {
  if (makespan == order_run::stuck || makespan >= makespan_) return;
  makespan_ = makespan;
  best_ = words_;
}

inline void order_search::try_policy(order_policy by) {
  const std::int64_t makespan = list(policies_, by);
  if (makespan > policy_makespan_) return;
  policy_makespan_ = makespan;
  policy_ = std::move(by);
}

inline void order_search::try_keys(order_keys by) {
  const std::int64_t makespan = list(cycles_, by);
  if (makespan > keys_makespan_) return;
  keys_makespan_ = makespan;
  keys_ = std::move(by);
}

inline void order_search::list_policies() {
  for (const std::size_t quarters : {4U, 5U, 6U, 8U, 12U, 4000U}) {
    for (const std::int64_t forward : {0, 1, 2, 4}) {
      for (const std::int64_t backward : {0, 1, 2, 4, 8}) {
        for (const std::int64_t room : {0, 4}) {
          if (over()) return;
          try_policy(even_policy(quarters, forward, backward, room));
        }
      }
    }
  }
}

inline order_policy order_search::even_policy(std::size_t quarters, std::int64_t forward, std::int64_t backward,
                                              std::int64_t room) const {
  order_policy by;
  by.room_bonus = room * longest_;
  const std::size_t stages = of_.stages();
  for (std::size_t s = 0; s < stages; ++s) {
    by.bonus.insert(by.bonus.end(), {forward * period_ / 8, backward * period_ / 8, 0});
    const std::size_t let_in = ((stages - s) * of_.ranks * quarters + 4 * stages - 1) / (4 * stages);
    by.in_flight.push_back(std::min(std::max<std::size_t>(let_in, 1), of_.microbatches));
  }
  return by;
}

inline void order_search::list_cycles() {
  for (std::int64_t down = 4; down < 9; ++down) {
    for (std::int64_t up = 4; up < 12; ++up) {
      if (over()) return;
      order_keys by = empty_keys();
      std::int64_t at = 0;
      for (std::size_t s = 0; s < of_.stages(); ++s) {
        by.offset[forward_of(s)] = at;
        at += (of_.time[forward_of(s)] + of_.down[s]) * down / 4;
      }
      for (std::size_t s = of_.stages(); s-- > 0;) {
        by.offset[backward_of(s)] = at;
        at += (of_.time[backward_of(s)] + (s > 0 ? of_.up[s - 1] : 0)) * up / 4;
      }
      try_keys(std::move(by));
    }
  }
}

inline void order_search::learn_keys() {
  run_(best_);
  order_keys by = empty_keys();
  const auto m = static_cast<std::int64_t>(of_.microbatches);
  for (std::size_t letter = 0; letter < of_.letters(); ++letter) {
    if (is_weight(letter)) continue;
    for (std::size_t k = 0; k < of_.microbatches; ++k) {
      const std::int64_t start = run_.end(letter * of_.microbatches + k) - of_.time[letter];
      by.offset[letter] += (start - static_cast<std::int64_t>(k) * by.period) / m;
    }
  }
  try_keys(std::move(by));
}

inline std::int64_t order_search::change() {
  const std::int64_t most = random_.below(2) == 0 ? period_ : period_ / 8;
  return (static_cast<std::int64_t>(random_.below(2049)) - 1024) * (most / 1024 + 1);
}

inline std::pair<std::size_t, std::size_t> order_search::range(std::size_t n) {
  const std::size_t a = random_.below(n);
  const std::size_t b = random_.below(n);
  return {std::min(a, b), std::max(a, b)};
}

inline void order_search::vary_policies(std::size_t times) {
  for (std::size_t i = 0; i < times && policy_makespan_ != never && !over(); ++i) {
    order_policy by = policy_;
    for (std::size_t changes = 1 + random_.below(3); changes > 0; --changes) {
      const auto [first, last] = range(of_.stages());
      const std::size_t what = random_.below(4);
      const std::int64_t ticks = change() / 2;
      const std::size_t more = random_.below(5);
      for (std::size_t s = first; s <= last; ++s) {
        if (what < kinds_of_pass)
          by.bonus[kinds_of_pass * s + what] += ticks;
        else
          by.in_flight[s] = std::max<std::size_t>(by.in_flight[s] + more, 3) - 2;
      }
    }
    try_policy(std::move(by));
  }
}

inline void order_search::vary_keys(std::size_t times) {
  const std::size_t passes = 2 * of_.stages();  // down the chain and up
  for (std::size_t i = 0; i < times && keys_makespan_ != never && !over(); ++i) {
    order_keys by = keys_;
    for (std::size_t changes = 1 + random_.below(3); changes > 0; --changes) {
      auto [first, last] = range(passes);
      if (random_.below(4) != 0) last = first;
      const std::int64_t ticks = change();
      for (std::size_t j = first; j <= last; ++j) {
        by.offset[j < of_.stages() ? forward_of(j) : backward_of(passes - 1 - j)] += ticks;
      }
    }
    if (random_.below(8) == 0) by.late = static_cast<std::int64_t>(random_.below(17));
    try_keys(std::move(by));
  }
}

inline void order_search::polish(std::size_t moves) {
  order_polish within(of_, best_);
  const std::int64_t hot = period_ / (std::int64_t{50} << (round_++ % 3));
  within.anneal(moves, hot, random_, [&] {
    ++looked_at_;
    return within.best() <= bound_ || (looked_at_ % 32 == 0 && stop_(looked_at_));
  });
  words_ = within.words();
  keep(within.best());
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
