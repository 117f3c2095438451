// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/compare_runs.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/recorded_run.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The kinds of op that a run may contain: the last is SEND_B.
inline constexpr std::size_t op_kinds = static_cast<std::size_t>(op_kind::send_backward) + 1;

STAGECUT_DECL double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::stable_sort(values.begin(), values.end(), [](double a, double b) { return a < b; });
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = below + 1 < values.size() ? below + 1 : below;
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

STAGECUT_DECL std::vector<std::vector<double>> durations_of(const schedule& order, const simulation<double>& run) {
  std::vector<std::vector<double>> result(order.stages() * op_kinds);
  for (const auto* const all : {&run.ops, &run.transfers}) {
    for (const auto& rank : *all) {
      for (const timed_op<double>& op : rank) {
        result[op.what.stage * op_kinds + static_cast<std::size_t>(op.what.kind)].push_back(op.end - op.start);
      }
    }
  }
  return result;
}

STAGECUT_DECL void fill_unrun(std::vector<double>& times) {
  double sum = 0;
  double count = 0;
  for (const double time : times) {
    if (time >= 0) sum += time, ++count;
  }
  for (double& time : times) {
    if (time < 0) time = sum / count;
  }
}

STAGECUT_DECL std::vector<std::vector<timed_op<double>>> without_queueing(
    const schedule& order, std::vector<std::vector<timed_op<double>>> sent) {
  for (auto& rank : sent) {
    std::stable_sort(rank.begin(), rank.end(), [](const timed_op<double>& a, const timed_op<double>& b) { return a.end < b.end; });
    std::vector<double> free(order.ranks());
    for (timed_op<double>& op : rank) {
      double& until = free[order.rank_of[other_end(op.what).stage]];
      op.start = detail::later(op.start, until);  // never after its end, which is the sort key
      until = op.end;
    }
  }
  return sent;
}

STAGECUT_DECL pass_times<double> passes_of(const schedule& order, const simulation<double>& run) {
  pass_times<double> result;
  std::vector<double>* const to[] = {&result.forward, &result.backward, &result.backward_input,
                                     &result.backward_weight};
  for (const auto& rank : run.ops) {
    for (const timed_op<double>& op : rank) {
      std::vector<double>& times = *to[static_cast<std::size_t>(op.what.kind)];
      if (times.empty()) times.resize(order.stages() * order.microbatches * order.slices, -1);
      times[(op.what.stage * order.microbatches + op.what.microbatch) * order.slices + op.what.slice] =
          op.end - op.start;
    }
  }
  for (std::vector<double>* const times : to) fill_unrun(*times);
  return result;
}

STAGECUT_DECL std::vector<op_difference> differences(const schedule& order, const simulation<double>& predicted,
                                                     const simulation<double>& measured) {
  const auto expected = durations_of(order, predicted);
  auto found = durations_of(order, measured);
  std::vector<op_difference> result;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (expected[i].empty() && found[i].empty()) continue;
    op_difference each{.kind = static_cast<op_kind>(i % op_kinds), .stage = i / op_kinds};
    each.count = found[i].size();
    each.measured = quantile(found[i], 0.5);
    each.spread = quantile(found[i], 0.75) - quantile(found[i], 0.25);
    for (const double one : expected[i]) each.predicted += one / static_cast<double>(expected[i].size());
    result.push_back(each);
  }
  return result;
}

STAGECUT_DECL transfer_times<double> messages_of(const schedule& order, const transfer_times<double>& predicted,
                                                 const std::vector<op_difference>& found) {
  transfer_times<double> result = predicted;
  const std::size_t boundaries = order.stages() - 1;
  for (auto* const each : {&result.forward, &result.backward}) {
    if (each->size() != boundaries) each->assign(boundaries, each->empty() ? 0 : each->front());
  }
  bool any = false;
  for (const op_difference& difference : found) {
    if (!is_transfer(difference.kind) || difference.count == 0) continue;
    any = true;
    if (difference.kind == op_kind::send_forward) result.forward[difference.stage] = difference.measured;
    if (difference.kind == op_kind::send_backward) result.backward[difference.stage - 1] = difference.measured;
  }
  return any ? result : predicted;
}

STAGECUT_DECL void check_comparable(const schedule& order, const simulation<double>& measured) {
  check_schedule(order);
  if (!order.edges.empty()) fail(invalid_input("order", "its stages are no chain"));
  if (measured.ops.size() != order.ranks()) fail(invalid_input("measured", "is of another schedule"));
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    detail::check_recorded(order, r, measured.ops[r]);
    for (const timed_op<double>& op : measured.ops[r]) {
      if (op.what.with_next) {
        fail(
            invalid_input(joined({"rank ", r}), joined({"runs two passes at once, from ", to_string(op.what), " on"})));
      }
    }
  }
  if (!measured.transfers.empty() && measured.transfers.size() != order.ranks()) {
    fail(invalid_input("measured", "is of another schedule"));
  }
  detail::check_sent(order, measured.transfers);
  if (!is_finite(measured.makespan)) fail(invalid_input("measured", "has no makespan"));
}

}  // namespace detail

STAGECUT_DECL run_comparison compare_runs(const schedule& order, const pass_times<double>& times,
                                          const transfer_times<double>& transfers, const simulation<double>& measured) {
  detail::check_comparable(order, measured);
  pass_times<double> passes = times;
  passes.all_reduce.clear();
  passes.optimizer_step.clear();
  simulation<double> run = measured;
  if (transfers.kind != transfer_kind::latency)
    run.transfers = detail::without_queueing(order, std::move(run.transfers));
  run_comparison result;
  result.predicted = split_makespan(order, passes, transfers);
  result.ops = detail::differences(order, simulate(order, passes, transfers), run);
  const transfer_times<double> messages = detail::messages_of(order, transfers, result.ops);
  result.measured = split_makespan(order, detail::passes_of(order, run), messages);
  result.rest = measured.makespan - result.measured.total();
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
