// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/orders/detail/mixed_orders.hpp>
#include <stagecut/orders/detail/order_bytes.hpp>
#include <stagecut/orders/detail/order_heads.hpp>
#include <stagecut/orders/detail/order_proof.hpp>
#include <stagecut/orders/detail/order_ticks.hpp>
#include <stagecut/orders/detail/pass_precedence.hpp>
#include <stagecut/orders/detail/word_problem.hpp>
#include <stagecut/orders/order_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What every order of some stages takes at least.
template <class T>
struct order_bounds {
  T makespan{};  ///< of an iteration
  T span{};  ///< of the rank that takes longest, from the start of its first pass to the end of its last, or of its update
};

/// See `order_bound`.
struct order_bound_fn {
  /// See `order_bound`.
  template <arithmetic T>
  [[nodiscard]] outcome<order_bounds<T>> operator()(const pass_times<T>& times, const transfer_times<T>& transfers,
                                                    const order_request& request) const {
    using answer = outcome<order_bounds<T>>;
    detail::word_problem problem = detail::placed_problem(times.forward.size(), request);
    const detail::order_bytes bytes(request, problem);
    const detail::order_ticks<T> ticks(times, transfers, problem);
    detail::check_order_limits(request);
    if (const std::optional<reason> why = bytes.shortage()) return answer::infeasible(*why);
    const double began = detail::seconds_now();
    const search_limits& limits = request.limits;
    const auto stop = [&] {
      return (limits.stop && limits.stop()) ||
             (limits.time_limit && detail::seconds_now() - began >= *limits.time_limit);
    };
    problem = detail::least_problem(problem);
    const std::vector<detail::pass_precedence> rules = detail::precedence_of(problem);
    detail::order_heads all(problem, rules);
    all.settle(stop);
    std::int64_t span = 0;
    for (std::size_t r = 0; r < problem.ranks; ++r) {
      detail::order_heads of_rank(problem, rules, r);
      of_rank.settle(stop);
      const auto here = of_rank.rank_bound(r);
      if (span < here) span = here;
    }
    return answer::optimal({ticks.time(all.bound()), ticks.time(span)});
  }
};

/// What every order of some stages takes at least: `optimal`, as a bound is no search; infeasible as `synthesize_schedule`.
///
/// @param times      as `synthesize_schedule`
/// @param transfers  likewise
/// @param request    likewise; its time limit and `stop` may leave lower bounds, its start and node limit do not count
/// @return           of the makespan and of the span; times are rounded down to ticks as `synthesize_schedule` has them
/// @throws           as `synthesize_schedule`
///
/// O(ranks * (passes of a rank)^2) a round, and a few rounds; the span as much for each rank.
///
/// Source: docs/orders.md, The bound.
inline constexpr order_bound_fn order_bound{};

}  // namespace stagecut::inline STAGECUT_ABI
