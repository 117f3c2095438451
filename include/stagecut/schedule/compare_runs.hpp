// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/recorded_run.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline v0 {

/// What was predicted of a kind of pass on a stage, or of a message over a boundary, and what was measured.
struct op_difference {
  op_kind kind = op_kind::forward;  ///< F, B, I, W; SEND_F, SEND_B
  std::size_t stage = 0;            ///< that computes, or sends
  double predicted = 0;             ///< seconds: the mean over the microbatches
  double measured = 0;              ///< seconds: the median over them
  double spread = 0;                ///< seconds between the quartiles of those measured

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

/// The value below which a share of them lies, between the two nearest. Sorts.
[[nodiscard]] inline double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = below + 1 < values.size() ? below + 1 : below;
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

/// The durations of all that a run did of a kind on a stage.
[[nodiscard]] inline std::vector<double> durations_of(const std::vector<std::vector<timed_op<double>>>& all,
                                                      op_kind kind, std::size_t stage) {
  std::vector<double> result;
  for (const auto& rank : all) {
    for (const timed_op<double>& each : rank) {
      if (each.what.kind == kind && each.what.stage == stage) result.push_back(each.end - each.start);
    }
  }
  return result;
}

/// Gives what a stage did not run of a kind the mean of what it did: as far as they count, they are those of others.
inline void fill_unrun(std::vector<double>& times, std::size_t stages) {
  const std::size_t each = times.size() / stages;
  for (std::size_t s = 0; s < stages; ++s) {
    double sum = 0;
    double count = 0;
    for (std::size_t i = s * each; i < (s + 1) * each; ++i) {
      if (times[i] >= 0) sum += times[i], ++count;
    }
    for (std::size_t i = s * each; i < (s + 1) * each; ++i) {
      if (times[i] < 0) times[i] = count > 0 ? sum / count : 0;
    }
  }
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
  for (std::vector<double>* const times : to) fill_unrun(*times, order.stages());
  return result;
}

/// Every difference of the passes and messages of two runs.
[[nodiscard]] inline std::vector<op_difference> differences(const schedule& order, const simulation<double>& predicted,
                                                            const simulation<double>& measured) {
  constexpr op_kind kinds[] = {op_kind::forward,         op_kind::backward,     op_kind::backward_input,
                               op_kind::backward_weight, op_kind::send_forward, op_kind::send_backward};
  std::vector<op_difference> result;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    for (const op_kind kind : kinds) {
      const bool sent = is_transfer(kind);
      const auto expected = durations_of(sent ? predicted.transfers : predicted.ops, kind, s);
      auto found = durations_of(sent ? measured.transfers : measured.ops, kind, s);
      if (expected.empty() && found.empty()) continue;
      op_difference each{.kind = kind, .stage = s, .measured = quantile(found, 0.5)};
      for (const double one : expected) each.predicted += one / static_cast<double>(expected.size());
      each.spread = quantile(found, 0.75) - quantile(found, 0.25);
      result.push_back(each);
    }
  }
  return result;
}

}  // namespace detail

/// Lays what a runtime has measured beside what was predicted, and says by what they differ.
///
/// @param order      that was run; its stages are a chain
/// @param times      of the passes, as predicted
/// @param transfers  of the messages, as predicted
/// @param measured   what the run recorded, as `recorded_run` says it; where it has no transfers, those predicted are
///                   taken for `run_comparison::measured`
/// @throws           as `simulate`, and invalid_input for a run of another schedule
///
/// The measured makespan is taken apart by replaying it: a simulation with the passes as measured, microbatch by
/// microbatch, and with the median of the messages over every boundary; what that does not explain is `rest`. Two
/// simulations and eight of `split_makespan`.
[[nodiscard]] inline run_comparison compare_runs(const schedule& order, const pass_times<double>& times,
                                                 const transfer_times<double>& transfers,
                                                 const simulation<double>& measured) {
  const simulation<double> predicted = simulate(order, times, transfers);
  if (measured.ops.size() != order.ranks()) detail::fail(invalid_input("measured", "is of another schedule"));
  for (std::size_t r = 0; r < order.ranks(); ++r) detail::check_recorded(order, r, measured.ops[r]);
  run_comparison result;
  result.predicted = split_makespan(order, times, transfers);
  result.ops = detail::differences(order, predicted, measured);

  transfer_times<double> messages = transfers;
  bool any = false;
  for (const auto& rank : measured.transfers) any = any || !rank.empty();
  if (any && order.stages() > 1) {
    messages.forward.assign(order.stages() - 1, 0);
    messages.backward = messages.forward;
    for (const op_difference& each : result.ops) {
      if (each.kind == op_kind::send_forward) messages.forward[each.stage] = each.measured;
      if (each.kind == op_kind::send_backward) messages.backward[each.stage - 1] = each.measured;
    }
  }
  result.measured = split_makespan(order, detail::passes_of(order, measured), messages);
  result.rest = measured.makespan - result.measured.total();
  return result;
}

}  // namespace stagecut::inline v0
