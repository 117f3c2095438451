// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Predicted and measured times of a kind of pass on a stage, or of a message over a boundary.
struct op_difference {
  op_kind kind = op_kind::forward;  ///< F, B, I, W; SEND_F, SEND_B
  std::size_t stage = 0;            ///< the stage that computes or sends
  double predicted = 0;             ///< seconds: the mean over microbatches
  double measured = 0;              ///< seconds: the median over microbatches
  double spread = 0;                ///< seconds between the quartiles of the measured times
  std::size_t count = 0;            ///< number of measurements; 0: none was recorded

  /// Equality of all members.
  friend bool operator==(const op_difference&, const op_difference&) = default;
};

/// A prediction compared with a measurement: the total error and its causes.
struct run_comparison {
  makespan_parts predicted{};        ///< parts of the predicted iteration
  makespan_parts measured{};         ///< parts of an iteration with the measured times of passes and messages
  double rest = 0;                   ///< what the measured makespan adds to that: the runtime's own time, wake-ups
  std::vector<op_difference> ops{};  ///< by stage, then by kind

  /// Seconds of the measured iteration.
  [[nodiscard]] double measured_makespan() const noexcept { return measured.total() + rest; }
  /// The relative error of the prediction: positive if the measured iteration is longer, below 0 if shorter.
  [[nodiscard]] double error() const noexcept {
    return predicted.total() == 0 ? 0 : measured_makespan() / predicted.total() - 1;
  }
};

namespace detail {

/// The quantile at `share`, interpolated between its two neighbours. Sorts `values`.
[[nodiscard]] STAGECUT_DECL double quantile(std::vector<double>& values, double share);

/// The durations of all passes and messages of a run, at [stage * kinds + kind]; receives have none.
[[nodiscard]] STAGECUT_DECL std::vector<std::vector<double>> durations_of(const schedule& order,
                                                                          const simulation<double>& run);

/// Sets times of passes that did not run to the mean of those that did; they affect only the means per kind, which do
/// not change.
STAGECUT_DECL void fill_unrun(std::vector<double>& times);

/// The messages of a run, each starting when its link is free: time spent behind an earlier message on the same link,
/// from rank to rank, is not the message's own.
[[nodiscard]] STAGECUT_DECL std::vector<std::vector<timed_op<double>>> without_queueing(
    const schedule& order, std::vector<std::vector<timed_op<double>>> sent);

/// The passes of a run as durations, one per stage, microbatch and slice, of the kinds that it has.
[[nodiscard]] STAGECUT_DECL pass_times<double> passes_of(const schedule& order, const simulation<double>& run);

/// All differences between the passes and messages of two runs.
[[nodiscard]] STAGECUT_DECL std::vector<op_difference> differences(const schedule& order,
                                                                   const simulation<double>& predicted,
                                                                   const simulation<double>& measured);

/// Message times: the median per boundary, or the predicted time if none was recorded.
[[nodiscard]] STAGECUT_DECL transfer_times<double> messages_of(const schedule& order,
                                                               const transfer_times<double>& predicted,
                                                               const std::vector<op_difference>& found);

/// Rejects schedules and runs that cannot be compared.
STAGECUT_DECL void check_comparable(const schedule& order, const simulation<double>& measured);

}  // namespace detail

/// Compares the measurements of a runtime with a prediction, and attributes the difference to causes.
///
/// @param order      the schedule that ran; its stages are a chain, and no rank runs two passes at once
/// @param times      predicted times of the passes; all-reduces and the optimizer step are omitted, as no run records
///                   them
/// @param transfers  predicted times of the messages
/// @param measured   the recorded run, from `recorded_run`; messages that it does not contain are assumed as predicted
/// @throws           as `simulate`; invalid_input for any other schedule, and for a run of another schedule
///
/// Splits the measured makespan by replay: simulates the passes as measured, microbatch by microbatch, with the median
/// of the messages per boundary; what the replay does not explain is `rest`. If messages occupy a link, a message's
/// time begins when the previous one on that link, from rank to rank, has arrived. With slices, every slice is a pass
/// and a message. Costs one simulation and eight of `split_makespan`.
[[nodiscard]] STAGECUT_DECL run_comparison compare_runs(const schedule& order, const pass_times<double>& times,
                                                        const transfer_times<double>& transfers,
                                                        const simulation<double>& measured);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/compare_runs.ipp>
#endif
