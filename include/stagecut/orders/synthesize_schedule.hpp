// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/orders/detail/mixed_orders.hpp>
#include <stagecut/orders/detail/order_bytes.hpp>
#include <stagecut/orders/detail/order_ticks.hpp>
#include <stagecut/orders/detail/word_problem.hpp>
#include <stagecut/orders/order_request.hpp>
#include <stagecut/schedule/parts/span_times.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `synthesize_schedule`.
struct synthesize_schedule_fn {
  /// See `synthesize_schedule`.
  template <arithmetic T>
  [[nodiscard]] outcome<synthesized<T>> operator()(const pass_times<T>& times, const transfer_times<T>& transfers,
                                                   const order_request& request) const {
    if (request.objective == order_objective::makespan) return make(times, transfers, request);
    const detail::word_problem placed = detail::placed_problem(times.forward.size(), request);
    T late{};
    const std::vector<T> starts = detail::first_starts(times, transfers, placed.rank_of, placed.ranks);
    outcome<synthesized<T>> found = make(detail::span_times(times, starts, late), transfers, request);
    if (!found) return found;
    const bool proved = found.state() == state::optimal;
    synthesized<T> made = *std::move(found);
    const simulation<T> run = simulate(made.order, times, transfers);
    made.bound = made.bound < late ? T{} : static_cast<T>(made.bound - late);
    made.makespan = run.makespan;
    made.span = run.span;
    made.objective = order_objective::span;
    if (proved || made.span < made.bound) made.bound = made.span;
    return proved ? outcome<synthesized<T>>::optimal(std::move(made))
                  : outcome<synthesized<T>>::feasible(std::move(made));
  }

 private:
  /// Makes the least makespan.
  template <arithmetic T>
  [[nodiscard]] static outcome<synthesized<T>> make(const pass_times<T>& times, const transfer_times<T>& transfers,
                                                    const order_request& request) {
    using answer = outcome<synthesized<T>>;
    detail::word_problem problem = detail::placed_problem(times.forward.size(), request);
    const detail::order_bytes bytes(request, problem);
    const detail::order_ticks<T> ticks(times, transfers, problem);
    detail::check_order_limits(request);
    if (const std::optional<reason> why = bytes.shortage()) return answer::infeasible(*why);
    const bool messages = !transfers.forward.empty() || !transfers.backward.empty();
    const transfer_kind kind = messages ? transfers.kind : transfer_kind::latency;
    std::optional<detail::made_order> found = detail::make_order(problem, request, kind, ticks.tick());
    if (!found) return answer::unknown({});
    synthesized<T> made;
    made.order = std::move(found->order);
    const simulation<T> run = simulate(made.order, times, transfers);
    made.makespan = run.makespan;
    made.span = run.span;
    made.looked_at = found->looked_at;
    const bool proved = found->makespan <= found->bound;
    const T bound = ticks.time(found->bound);
    made.bound = proved || made.makespan < bound ? made.makespan : bound;
    return proved ? answer::optimal(std::move(made)) : answer::feasible(std::move(made));
  }
};

/// Makes an order of passes for stages as they are: in which order every rank runs F and B, or F, I and W, of all
/// microbatches, so that an iteration ends as early as possible, within the memory of every rank.
///
/// @param times      of the passes, one a stage; `all_reduce` and `optimizer_step` come behind them, as `simulate` has it
/// @param transfers  of the messages between ranks, and what they occupy
/// @param request    the ranks of the stages, microbatches, what stages keep and ranks have, limits
/// @return           optimal, with `value() == bound`; feasible, with a bound; infeasible, with the first rank that has no room
///                   for a microbatch alone, and the bytes; unknown if a limit was reached before an order was found
/// @throws           argument_error for a request that makes no sense; invalid_input for times as `simulate`, also those of one
///                   slice or microbatch, as microbatches are alike, and integers whose sum is 2^50 or more
///
/// With `order_objective::span` that is what is least, and bounded: ranks then begin at times that no order changes, so that
/// it is a makespan with so much more behind the last pass of each.
///
/// Not longer than any named schedule (`schedules`) of these ranks, stages and microbatches that fits, if the limits let
/// those be looked at; where messages are `stream` or `blocking`, than one that has I and W where the request has. Times
/// are rounded to ticks of 2^-50 of everything that an iteration takes (`float`: 2^-21), whole numbers and integers not at
/// all; an optimal answer is one of these. Bytes likewise, 2^-60. Deterministic if no limit but `node_limit` is reached:
/// the same from every compiler.
///
/// Source: docs/orders.md has the bounds and the search.
inline constexpr synthesize_schedule_fn synthesize_schedule{};

}  // namespace stagecut::inline STAGECUT_ABI
