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
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The relaxed problem in which I and W of each stage take the smaller time and memory of the split and unsplit forms:
/// a lower bound on every schedule with any mix of split and unsplit backward passes. It is the problem of I and W
/// alone if no B is better than both.
[[nodiscard]] STAGECUT_DECL schedule_problem least_problem(const schedule_problem& of);

/// A synthesized schedule, with its times in ticks.
struct made_order {
  schedule order{};
  std::int64_t makespan = 0;
  std::int64_t bound = 0;
  std::size_t looked_at = 0;
};

/// Synthesizes a schedule for any kind of backward pass; nothing: none was found.
/// @param transfers  the resource that messages occupy; `latency` if there are none
/// @param tick       length of a tick in the unit of the times; for progress reports
[[nodiscard]] STAGECUT_DECL std::optional<made_order> make_order(const schedule_problem& of,
                                                                 const synthesis_request& request,
                                                                 transfer_kind transfers, double tick);

/// Synthesizes a schedule that splits each backward pass or not, whichever is better, if some stage's B takes less time
/// or memory than its I and W. Words use I and W; if W of a microbatch directly follows its I, and B is better, both
/// become B.
///
/// Source: docs/orders.md, Whole or apart.
class mixed_orders {
 public:
  /// @param tick  length of a tick in the unit of the times; for progress reports
  mixed_orders(const schedule_problem& of, const synthesis_request& request, transfer_kind transfers, double tick);

  mixed_orders(const mixed_orders&) = delete;
  mixed_orders& operator=(const mixed_orders&) = delete;

  void make();

  /// Whether a schedule was found.
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
  /// Whether its B is sometimes better than I and W.
  [[nodiscard]] bool better(std::size_t s) const noexcept { return shorter(s) || of_.saves(s); }
  /// Whether memory depends on which passes are unsplit.
  [[nodiscard]] bool any_saves() const noexcept;
  /// Whether a schedule fits into the ranks' memory, if that depends on which passes are unsplit.
  [[nodiscard]] bool fits(const schedule& order) const;
  [[nodiscard]] bool proved() const noexcept { return makespan_ <= bound_; }
  [[nodiscard]] bool over() const;

  /// The schedule of words, with B where it is better.
  [[nodiscard]] schedule merged(const order_names& words) const;
  [[nodiscard]] std::int64_t time_of(const schedule& order) const;

  void consider(schedule order);
  /// Evaluates words in both forms: merged, and all split.
  void consider_names(const order_names& words);
  /// Evaluates a schedule as it is, if it is valid for this problem; and its words.
  void consider_given(const schedule& order);
  void consider_named();
  /// Evaluates one microbatch after the other, unsplit: it fits if any schedule does.
  void consider_one_by_one();

  /// Keeps the result of a search for another problem with these letters, with a share of the limits. Returns its
  /// bound.
  std::int64_t search(const schedule_problem& other, double share);

  /// Anneals the best schedule within the remaining limits.
  void polish();
  /// For each backward pass whose W directly follows its I, tries whether split or unsplit is better.
  void part_passes(const order_names& words, random_bits& random, function_ref<bool()> stop);

  const schedule_problem& of_;
  const synthesis_request& request_;
  transfer_kind transfers_;
  double tick_;
  schedule_problem least_;
  std::vector<char> apart_;  // per stage and microbatch, whether I and W stay split although W follows at once
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
