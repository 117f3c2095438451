// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/orders/detail/word_problem.hpp>
#include <stagecut/orders/order_request.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The problem in which I and W of each stage take no longer and no more memory than apart, nor than together: what no order is below in which
/// each backward pass is whole or apart. It is that of I and W alone where no B is better than both.
[[nodiscard]] STAGECUT_DECL word_problem least_problem(const word_problem& of);

/// An order that was made, with its times in ticks.
struct made_order {
  schedule order{};
  std::int64_t makespan = 0;
  std::int64_t bound = 0;
  std::size_t looked_at = 0;
};

/// Makes an order of a problem, whatever its backward passes may be; nothing: none was found.
/// @param transfers  what messages occupy; `latency` where there are none
/// @param tick       length of a tick in the unit of the times; for progress reports
[[nodiscard]] STAGECUT_DECL std::optional<made_order> make_order(const word_problem& of, const order_request& request,
                                                                 transfer_kind transfers, double tick);

/// Makes an order whose backward passes are whole or apart, each as is better, where some stage's B takes less than its I
/// and W, in time or memory. Words are those of I and W; where W of a microbatch follows its I at once, and B is better,
/// both are B.
///
/// Source: docs/orders.md, Whole or apart.
class mixed_orders {
 public:
  /// @param tick  length of a tick in the unit of the times; for progress reports
  mixed_orders(const word_problem& of, const order_request& request, transfer_kind transfers, double tick);

  mixed_orders(const mixed_orders&) = delete;
  mixed_orders& operator=(const mixed_orders&) = delete;

  void make();

  /// Whether there is an order.
  [[nodiscard]] bool found() const noexcept { return makespan_ != never; }
  [[nodiscard]] const schedule& order() const noexcept { return order_; }
  /// In ticks.
  /// @{
  [[nodiscard]] std::int64_t makespan() const noexcept { return makespan_; }
  [[nodiscard]] std::int64_t bound() const noexcept { return bound_; }
  /// @}
  [[nodiscard]] std::size_t looked_at() const noexcept { return looked_at_; }

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// Whether the B of a stage is shorter than its I and W.
  [[nodiscard]] bool shorter(std::size_t s) const noexcept {
    return of_.together[s] < of_.time[backward_of(s)] + of_.time[weight_of(s)];
  }
  /// Whether it is better than both at times.
  [[nodiscard]] bool better(std::size_t s) const noexcept { return shorter(s) || of_.saves(s); }
  /// Whether memory depends on which passes are whole.
  [[nodiscard]] bool any_saves() const noexcept;
  /// Whether an order keeps to the memory of ranks, where that depends on which passes are whole.
  [[nodiscard]] bool fits(const schedule& order) const;
  [[nodiscard]] bool proved() const noexcept { return makespan_ <= bound_; }
  [[nodiscard]] bool over() const;

  /// The schedule of words, whole where that is better.
  [[nodiscard]] schedule merged(const order_words& words) const;
  [[nodiscard]] std::int64_t time_of(const schedule& order) const;

  void consider(schedule order);
  /// Words both ways: merged, and all apart.
  void consider_words(const order_words& words);
  /// A schedule as it is, if it runs what it has to in this problem; and its words.
  void consider_given(const schedule& order);
  void consider_named();
  /// One microbatch after the other, whole: it fits if any order does.
  void consider_one_by_one();

  /// Takes what the search for another problem of these letters finds, with a share of the limits. Returns its bound.
  std::int64_t search(const word_problem& other, double share);

  /// Anneals the best order, as far as limits are left.
  void polish();
  /// Tries of each backward pass whether it is better apart where W follows I at once, or whole.
  void part_passes(const order_words& words, random_bits& random, function_ref<bool()> stop);

  const word_problem& of_;
  const order_request& request_;
  transfer_kind transfers_;
  double tick_;
  word_problem least_;
  std::vector<char> apart_;  // of every stage and microbatch, whether I and W are so although W follows at once
  pass_times<std::int64_t> times_{};
  transfer_times<std::int64_t> messages_{};
  double began_ = seconds_now();
  schedule order_{};
  std::int64_t makespan_ = never;
  std::int64_t bound_ = 0;
  std::size_t looked_at_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/mixed_orders.ipp>
#endif
