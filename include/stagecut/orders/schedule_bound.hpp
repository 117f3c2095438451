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
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Lower bounds on every schedule of some stages.
template <class T>
struct schedule_bounds {
  T makespan{};  ///< of the makespan of an iteration
  T span{};  ///< of the longest span of a rank: from the start of its first pass to the end of its last pass or update
};

/// See `schedule_bound`.
struct schedule_bound_fn {
  /// See `schedule_bound`.
  template <arithmetic T>
  [[nodiscard]] outcome<schedule_bounds<T>> operator()(const pass_times<T>& times, const transfer_times<T>& transfers,
                                                       const synthesis_request& request) const {
    using answer = outcome<schedule_bounds<T>>;
    detail::schedule_problem problem = detail::placed_problem(times.forward.size(), request);
    const detail::order_bytes bytes(request, problem);
    const detail::order_ticks<T> ticks(times, transfers, problem);
    detail::check_order_limits(request);
    if (const std::optional<reason> why = bytes.shortage()) return answer::infeasible(*why);
    const double began = detail::seconds_now();
    const search_options& limits = request.search;
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

/// Computes lower bounds on every schedule of some stages. The outcome is `optimal`, since a bound needs no search; or
/// infeasible as `synthesize_schedule`.
///
/// @param times      as `synthesize_schedule`
/// @param transfers  as `synthesize_schedule`
/// @param request    as `synthesize_schedule`; its time limit and `stop` may weaken the bounds, its start and node
///                   limit are ignored
/// @return           bounds on the makespan and the span, with times rounded down to the ticks of `synthesize_schedule`
/// @throws           as `synthesize_schedule`
///
/// O(ranks * (passes of a rank)^2) per round, and a few rounds; the span costs as much again per rank.
///
/// Source: docs/orders.md, The bound.
inline constexpr schedule_bound_fn schedule_bound{};

}  // namespace stagecut::inline STAGECUT_ABI
