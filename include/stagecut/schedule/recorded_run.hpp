// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/check_durations.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The greater of two times.
template <class T>
[[nodiscard]] constexpr T later(T a, T b) {
  return a < b ? b : a;
}

/// Rejects a recording that is not possible on a rank.
template <class T>
void check_recorded(const schedule& order, std::size_t rank, const std::vector<timed_op<T>>& ops) {
  std::size_t i = 0;
  for (const auto& op : order.orders[rank]) {
    if (!is_compute(op.kind)) continue;
    if (i == ops.size() || ops[i].what != op) {
      fail(invalid_input(joined({"ops[", rank, "]"}),
                         joined({"has ", i == ops.size() ? "nothing" : to_string(ops[i].what),
                                 " where the schedule has ", to_string(op)})));
    }
    ++i;
  }
  if (i != ops.size()) {
    fail(invalid_input(joined({"ops[", rank, "]"}), joined({"has ", ops.size(), " passes, the schedule ", i})));
  }
  for (i = 0; i < ops.size(); ++i) {
    const bool known = is_finite(ops[i].start) && is_finite(ops[i].end);
    const bool in_turn = i == 0 || !(ops[i].start < ops[i - 1].start);
    if (known && in_turn && !(ops[i].end < ops[i].start)) continue;
    fail(invalid_input(joined({"ops[", rank, "][", i, "]"}),
                       in_turn ? "has an end before its start, or none" : "begins before the pass in front of it"));
  }
}

/// Rejects impossible sends; `sent` has one list per rank.
template <class T>
void check_sent(const schedule& order, const std::vector<std::vector<timed_op<T>>>& sent) {
  const stage_links links(order);
  std::vector<bool> seen(2 * order.stages() * order.microbatches * order.slices * (order.edges.size() + 1));
  for (std::size_t r = 0; r < sent.size(); ++r) {
    for (const timed_op<T>& each : sent[r]) {
      const op& what = each.what;
      const bool known = is_send(what.kind) && what.stage < order.stages() && order.rank_of[what.stage] == r &&
                         what.microbatch < order.microbatches && what.slice < order.slices;
      const stage_links::link* const to = known ? links.find(what) : nullptr;
      const auto refuse = [&](std::string_view why) {
        fail(invalid_input(joined({"transfers[", r, "]"}), joined({"has ", to_string(what), ", which ", why})));
      };
      if (to == nullptr || !crosses_ranks(order, what.stage, *to)) {
        refuse("this rank does not send");
      }
      const std::size_t pass = (what.stage * order.microbatches + what.microbatch) * order.slices + what.slice;
      const std::size_t down = what.kind == op_kind::send_forward ? 1 : 0;
      const std::size_t at = 2 * (pass * (order.edges.size() + 1) + (links.chain() ? 0 : to->edge)) + down;
      if (seen[at]) refuse("is sent once");
      seen[at] = true;
      if (!is_finite(each.start) || !is_finite(each.end) || each.end < each.start)
        refuse("has an end before its start");
    }
  }
}

}  // namespace detail

/// Converts an iteration recorded by a runtime to the form of a simulation: to draw it, to write it as a trace, and to
/// compare it with its prediction.
///
/// @param order      the schedule that ran
/// @param ops        per rank, its F, B, I and W in the order of the schedule, on one clock
/// @param transfers  per rank, its sends, from the sending to the arrival, each message once; empty: not recorded
/// @return           times since the first pass began; `makespan` is the end of the last pass or arrival. No time is
///                   `blocked`, and there is no critical path
/// @throws           invalid_input if `check_schedule` rejects the schedule, and, naming the rank, for passes or sends
///                   that are not in the schedule, for invalid times, and for a sum of times that is out of range
///
/// O(ops).
template <arithmetic T = double>
[[nodiscard]] simulation<T> recorded_run(const schedule& order, std::vector<std::vector<timed_op<T>>> ops,
                                         std::vector<std::vector<timed_op<T>>> transfers = {}) {
  check_schedule(order);
  const std::size_t ranks = order.ranks();
  if (ops.size() != ranks || (!transfers.empty() && transfers.size() != ranks)) {
    detail::fail(invalid_input("ops", detail::joined({"must be those of ", ranks, " ranks"})));
  }
  transfers.resize(ranks);
  detail::check_sent(order, transfers);
  T begin{};
  bool any = false;
  for (std::size_t r = 0; r < ranks; ++r) {
    detail::check_recorded(order, r, ops[r]);
    if (ops[r].empty() || (any && !(ops[r].front().start < begin))) continue;
    begin = ops[r].front().start;
    any = true;
  }
  simulation<T> result;
  result.ranks.resize(ranks);
  result.updates.resize(ranks);
  for (auto* const all : {&ops, &transfers}) {
    for (auto& rank : *all) {
      for (timed_op<T>& op : rank) {
        // A message sent before the first pass began does not come from this iteration's passes.
        op.start = detail::later(op.start, begin) - begin;
        op.end = detail::later(op.end, begin) - begin;
        result.makespan = detail::later(result.makespan, op.end);
      }
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    rank_use<T>& use = result.ranks[r];
    T until{};  // overlapping passes count as busy once
    for (const timed_op<T>& op : ops[r]) {
      if (until < op.end) use.busy += op.end - detail::later(op.start, until);
      until = detail::later(until, op.end);
    }
    use.idle = use.busy < result.makespan ? result.makespan - use.busy : T{};
    if (ops[r].empty()) continue;
    use.first = ops[r].front().start;
    use.last = until;
    result.span = detail::later(result.span, static_cast<T>(use.last - use.first));
  }
  if (!is_finite(result.makespan)) detail::refuse_sum();
  result.ops = std::move(ops);
  result.transfers = std::move(transfers);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
