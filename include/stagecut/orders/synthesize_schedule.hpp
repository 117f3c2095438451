// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/orders/detail/mixed_orders.hpp>
#include <stagecut/orders/detail/order_bytes.hpp>
#include <stagecut/orders/detail/order_ticks.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/parts/span_times.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `synthesize_schedule`.
struct synthesize_schedule_fn {
  /// See `synthesize_schedule`.
  template <arithmetic T>
  [[nodiscard]] outcome<synthesized_schedule<T>> operator()(const pass_times<T>& times,
                                                            const transfer_times<T>& transfers,
                                                            const synthesis_request& request) const {
    return detail::recorded(request, [&](const synthesis_request& asked) { return solved(times, transfers, asked); });
  }

 private:
  template <arithmetic T>
  [[nodiscard]] static outcome<synthesized_schedule<T>> solved(const pass_times<T>& times,
                                                               const transfer_times<T>& transfers,
                                                               const synthesis_request& request) {
    if (request.objective == synthesis_objective::makespan) return make(times, transfers, request);
    const detail::schedule_problem placed = detail::placed_problem(times.forward.size(), request);
    T late{};
    const std::vector<T> starts = detail::first_starts(times, transfers, placed.rank_of, placed.ranks);
    outcome<synthesized_schedule<T>> found = make(detail::span_times(times, starts, late), transfers, request);
    if (!found) return found;
    const bool proved = found.state() == state::optimal;
    synthesized_schedule<T> made = *std::move(found);
    const simulation<T> run = simulate(made.schedule, times, transfers);
    made.bound = made.bound < late ? T{} : static_cast<T>(made.bound - late);
    made.makespan = run.makespan;
    made.span = run.span;
    made.objective = synthesis_objective::span;
    made.value = made.span;
    if (proved || made.span < made.bound) made.bound = made.span;
    return proved ? outcome<synthesized_schedule<T>>::optimal(std::move(made))
                  : outcome<synthesized_schedule<T>>::feasible(std::move(made));
  }

  /// Minimizes the makespan.
  template <arithmetic T>
  [[nodiscard]] static outcome<synthesized_schedule<T>> make(const pass_times<T>& times,
                                                             const transfer_times<T>& transfers,
                                                             const synthesis_request& request) {
    using answer = outcome<synthesized_schedule<T>>;
    detail::schedule_problem problem = detail::placed_problem(times.forward.size(), request);
    const detail::order_bytes bytes(request, problem);
    const detail::order_ticks<T> ticks(times, transfers, problem);
    detail::check_order_limits(request);
    if (const std::optional<reason> why = bytes.shortage()) return answer::infeasible(*why);
    const bool messages = !transfers.forward.empty() || !transfers.backward.empty();
    const transfer_kind kind = messages ? transfers.kind : transfer_kind::latency;
    std::optional<detail::made_order> found = detail::make_order(problem, request, kind, ticks.tick());
    if (!found) return answer::unknown({});
    synthesized_schedule<T> made;
    made.schedule = std::move(found->order);
    const simulation<T> run = simulate(made.schedule, times, transfers);
    made.value = made.makespan = run.makespan;
    made.span = run.span;
    made.statistics.nodes = found->looked_at;
    const bool proved = found->makespan <= found->bound;
    const T bound = ticks.time(found->bound);
    made.bound = proved || made.makespan < bound ? made.makespan : bound;
    return proved ? answer::optimal(std::move(made)) : answer::feasible(std::move(made));
  }
};

/// Synthesizes a schedule for given stages: orders the passes of every rank, F and B or F, I and W, of all
/// microbatches, so that an iteration finishes as early as possible within the memory of every rank.
///
/// @param times      of the passes, one per stage; `all_reduce` and `optimizer_step` follow them, as in `simulate`
/// @param transfers  times of the messages between ranks, and the resource that they occupy
/// @param request    the ranks of the stages, microbatches, bytes that stages keep and ranks have, limits
/// @return           optimal, with `value == bound`; feasible, with a bound; infeasible, with the first rank that
///                   cannot hold one microbatch alone, and the bytes; unknown if a limit was reached before a schedule
///                   was found
/// @throws           argument_error for an invalid request; invalid_input for times that `simulate` rejects, for times
///                   per slice or microbatch, as microbatches are alike, and for integers whose sum is 2^50 or more
///
/// With `synthesis_objective::span` the span is minimized and bounded. No schedule changes the times at which ranks begin,
/// so the span is a makespan with a constant tail after the last pass of each rank.
///
/// Not longer than any named schedule (`schedules`) of these ranks, stages and microbatches that fits, if the limits
/// allow those to be evaluated; if messages are `stream` or `blocking`, only than those that split backward passes as
/// the request does. Times are rounded to ticks of 2^-50 of the total time of an iteration (`float`: 2^-21); whole
/// numbers and integers stay exact. An optimal answer is optimal for the rounded times. Bytes are rounded in the same
/// way, to 2^-60. Deterministic, with every compiler, unless a limit other than `node_limit` is reached.
///
/// Source: docs/orders.md has the bounds and the search.
inline constexpr synthesize_schedule_fn synthesize_schedule{};

}  // namespace stagecut::inline STAGECUT_ABI
