// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/sort.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/recorded_run.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What was predicted of a kind of pass on a stage, or of a message over a boundary, and what was measured.
struct op_difference {
  op_kind kind = op_kind::forward;  ///< F, B, I, W; SEND_F, SEND_B
  std::size_t stage = 0;            ///< that computes, or sends
  double predicted = 0;             ///< seconds: the mean over the microbatches
  double measured = 0;              ///< seconds: the median over them
  double spread = 0;                ///< seconds between the quartiles of those measured
  std::size_t count = 0;            ///< of those measured; 0: none was recorded

  /// Equal in every part.
  friend bool operator==(const op_difference&, const op_difference&) = default;
};

/// A prediction beside what was measured: by how much they differ, and by what.
struct run_comparison {
  makespan_parts predicted{};  ///< of the iteration as predicted
  makespan_parts measured{};   ///< of one whose passes and messages take as long as was measured
  double rest = 0;             ///< what the measured makespan has more than that: the runtime's own time, waking up
  std::vector<op_difference> ops{};  ///< by stage, then by kind

  /// Seconds of the iteration that was measured.
  [[nodiscard]] double measured_makespan() const noexcept { return measured.total() + rest; }
  /// By how much it is longer than predicted, as a share of the prediction; below 0: shorter.
  [[nodiscard]] double error() const noexcept {
    return predicted.total() == 0 ? 0 : measured_makespan() / predicted.total() - 1;
  }
};

namespace detail {

/// Kinds of ops that a run may have recorded: the last is SEND_B.
inline constexpr std::size_t op_kinds = static_cast<std::size_t>(op_kind::send_backward) + 1;

/// The value below which a share of them lies, between the two nearest. Sorts.
[[nodiscard]] inline double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  detail::sort(values, [](double a, double b) { return a < b; });
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = below + 1 < values.size() ? below + 1 : below;
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

/// The durations of all passes and messages of a run, at [stage * kinds + kind], where receipts have none.
[[nodiscard]] inline std::vector<std::vector<double>> durations_of(const schedule& order, const simulation<double>& run) {
  std::vector<std::vector<double>> result(order.stages() * op_kinds);
  for (const auto* const all : {&run.ops, &run.transfers}) {
    for (const auto& rank : *all) {
      for (const timed_op<double>& each : rank) {
        result[each.what.stage * op_kinds + static_cast<std::size_t>(each.what.kind)].push_back(each.end - each.start);
      }
    }
  }
  return result;
}

/// Gives what was not run the mean of what was: it counts nowhere but in the means of kinds, which stay as they are.
inline void fill_unrun(std::vector<double>& times) {
  double sum = 0;
  double count = 0;
  for (const double each : times) {
    if (each >= 0) sum += each, ++count;
  }
  for (double& each : times) {
    if (each < 0) each = sum / count;
  }
}

/// The messages of a run, each from when its link was free: what a message before it took on the same link, from rank to
/// rank, is not its own time.
[[nodiscard]] inline std::vector<std::vector<timed_op<double>>> without_queueing(
    const schedule& order, std::vector<std::vector<timed_op<double>>> sent) {
  for (auto& rank : sent) {
    detail::sort(rank, [](const timed_op<double>& a, const timed_op<double>& b) { return a.end < b.end; });
    std::vector<double> free(order.ranks());
    for (timed_op<double>& each : rank) {
      double& until = free[order.rank_of[other_end(each.what).stage]];
      each.start = detail::later(each.start, until);  // never behind its end, by which they are sorted
      until = each.end;
    }
  }
  return sent;
}

/// The passes of a run as durations, one a stage, microbatch and slice, of the kinds that it has.
[[nodiscard]] inline pass_times<double> passes_of(const schedule& order, const simulation<double>& run) {
  pass_times<double> result;
  std::vector<double>* const to[] = {&result.forward, &result.backward, &result.backward_input,
                                     &result.backward_weight};
  for (const auto& rank : run.ops) {
    for (const timed_op<double>& each : rank) {
      std::vector<double>& times = *to[static_cast<std::size_t>(each.what.kind)];
      if (times.empty()) times.resize(order.stages() * order.microbatches * order.slices, -1);
      times[(each.what.stage * order.microbatches + each.what.microbatch) * order.slices + each.what.slice] =
          each.end - each.start;
    }
  }
  for (std::vector<double>* const times : to) fill_unrun(*times);
  return result;
}

/// Every difference of the passes and messages of two runs.
[[nodiscard]] inline std::vector<op_difference> differences(const schedule& order, const simulation<double>& predicted,
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

/// What messages took: the median over every boundary, and as predicted where none was recorded.
[[nodiscard]] inline transfer_times<double> messages_of(const schedule& order, const transfer_times<double>& predicted,
                                                        const std::vector<op_difference>& found) {
  transfer_times<double> result = predicted;
  const std::size_t boundaries = order.stages() - 1;
  for (auto* const each : {&result.forward, &result.backward}) {
    if (each->size() != boundaries) each->assign(boundaries, each->empty() ? 0 : each->front());
  }
  bool any = false;
  for (const op_difference& each : found) {
    if (!is_transfer(each.kind) || each.count == 0) continue;
    any = true;
    if (each.kind == op_kind::send_forward) result.forward[each.stage] = each.measured;
    if (each.kind == op_kind::send_backward) result.backward[each.stage - 1] = each.measured;
  }
  return any ? result : predicted;
}

/// Refuses what cannot be taken apart.
inline void check_comparable(const schedule& order, const simulation<double>& measured) {
  check_schedule(order);
  if (!order.edges.empty()) fail(invalid_input("order", "its stages are no chain"));
  if (measured.ops.size() != order.ranks()) fail(invalid_input("measured", "is of another schedule"));
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    detail::check_recorded(order, r, measured.ops[r]);
    for (const timed_op<double>& each : measured.ops[r]) {
      if (each.what.with_next) {
        fail(invalid_input(joined({"rank ", r}),
                           joined({"runs two passes at once, from ", to_string(each.what), " on"})));
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

/// Lays what a runtime has measured beside what was predicted, and says by what they differ.
///
/// @param order      that was run; its stages are a chain, and no rank runs two passes at once
/// @param times      of the passes, as predicted; all-reduces and the optimizer's step are left out, as no run records them
/// @param transfers  of the messages, as predicted
/// @param measured   what the run recorded, as `recorded_run` says it; messages of which it tells nothing are taken to be
///                   as predicted
/// @throws           as `simulate`; invalid_input for another order than these, and for a run of another schedule
///
/// The measured makespan is taken apart by replaying it: a simulation with the passes as measured, microbatch by
/// microbatch, and with the median of the messages over every boundary; what that does not explain is `rest`. Where
/// messages occupy a link, a message's time begins when the one before it on that link, from rank to rank, has arrived.
/// With slices every slice is a pass, and a message. One simulation and eight of `split_makespan`.
[[nodiscard]] inline run_comparison compare_runs(const schedule& order, const pass_times<double>& times,
                                                 const transfer_times<double>& transfers,
                                                 const simulation<double>& measured) {
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
