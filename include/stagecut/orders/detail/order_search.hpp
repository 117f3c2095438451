// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/orders/detail/cyclic_lister.hpp>
#include <stagecut/orders/detail/order_run.hpp>
#include <stagecut/orders/detail/policy_lister.hpp>
#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Looks for a short order: lists by policies and by keys, the best of each changed at random again and again, and moves within
/// the best order of all.
class order_search {
 public:
  static constexpr std::int64_t never = policy_lister::never;
  /// `stop(orders looked at)`, asked before each.
  using stopper = function_ref<bool(std::size_t)>;

  order_search(const word_problem& of, std::uint64_t seed, stopper stop);

  /// Takes an order of somebody else's.
  /// @pre words that `word_rules` allows
  void take(order_words words);

  /// Finds some order soon, if there is one that is easy to find.
  void begin() {
    for (const std::size_t quarters : {4U, 4000U}) try_policy(even_policy(quarters, 1, 4, 0));
  }

  /// Looks until an order is as short as the bound, has to stop, or has changed the best so many times; the first time at lists
  /// that are always the same, too.
  void look(std::int64_t bound, std::size_t rounds);

  /// When the best order ends, and its words; `never` and none: there is none yet.
  /// @{
  [[nodiscard]] std::int64_t makespan() const noexcept { return makespan_; }
  [[nodiscard]] const order_words& words() const noexcept { return best_; }
  /// @}
  /// Orders looked at.
  [[nodiscard]] std::size_t looked_at() const noexcept { return looked_at_; }
  /// The work of the fullest rank on a microbatch, in ticks.
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

  /// Policies that are alike on all stages: how many microbatches they let in, and how long they wait for F and I.
  void list_policies();

  /// @param quarters  of the microbatches in flight under 1F1B
  /// @param forward   eighths of the period that F is preferred
  [[nodiscard]] order_policy even_policy(std::size_t quarters, std::int64_t forward, std::int64_t backward,
                                         std::int64_t room) const;

  /// Keys of a microbatch that goes down and up by itself, in that time or up to twice and thrice that.
  void list_cycles();

  [[nodiscard]] order_keys empty_keys() const {
    return {std::vector<std::int64_t>(of_.letters()), period_ > 0 ? period_ : 1, 8};
  }

  /// The keys that the best order has, on average.
  void learn_keys();

  /// Up to a period, or up to an eighth of one, in either direction.
  [[nodiscard]] std::int64_t change();

  /// Two numbers below n, the lesser first.
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(std::size_t n);

  void vary_policies(std::size_t times);

  void vary_keys(std::size_t times);

  void polish(std::size_t moves);

  const word_problem& of_;
  order_run run_;
  policy_lister policies_;
  cyclic_lister cycles_;
  random_bits random_;
  stopper stop_;
  std::int64_t bound_ = 0;
  std::int64_t period_ = 0;
  std::int64_t longest_ = 0;  // of all passes
  order_words words_{};       // just looked at
  order_words best_{};
  std::int64_t makespan_ = never;
  order_policy policy_{};  // that made the best list of all policies
  std::int64_t policy_makespan_ = never;
  order_keys keys_{};  // likewise
  std::int64_t keys_makespan_ = never;
  bool listed_ = false;
  std::size_t effort_ = 64;
  std::size_t round_ = 0;
  std::size_t looked_at_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/order_search.ipp>
#endif
