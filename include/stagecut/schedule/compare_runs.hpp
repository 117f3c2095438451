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

/// The value below which a share of them lies, between the two nearest. Sorts.
[[nodiscard]] STAGECUT_DECL double quantile(std::vector<double>& values, double share);

/// The durations of all passes and messages of a run, at [stage * kinds + kind], where receipts have none.
[[nodiscard]] STAGECUT_DECL std::vector<std::vector<double>> durations_of(const schedule& order,
                                                                          const simulation<double>& run);

/// Gives what was not run the mean of what was: it counts nowhere but in the means of kinds, which stay as they are.
STAGECUT_DECL void fill_unrun(std::vector<double>& times);

/// The messages of a run, each from when its link was free: what a message before it took on the same link, from rank to
/// rank, is not its own time.
[[nodiscard]] STAGECUT_DECL std::vector<std::vector<timed_op<double>>> without_queueing(
    const schedule& order, std::vector<std::vector<timed_op<double>>> sent);

/// The passes of a run as durations, one a stage, microbatch and slice, of the kinds that it has.
[[nodiscard]] STAGECUT_DECL pass_times<double> passes_of(const schedule& order, const simulation<double>& run);

/// Every difference of the passes and messages of two runs.
[[nodiscard]] STAGECUT_DECL std::vector<op_difference> differences(const schedule& order,
                                                                   const simulation<double>& predicted,
                                                                   const simulation<double>& measured);

/// What messages took: the median over every boundary, and as predicted where none was recorded.
[[nodiscard]] STAGECUT_DECL transfer_times<double> messages_of(const schedule& order,
                                                               const transfer_times<double>& predicted,
                                                               const std::vector<op_difference>& found);

/// Refuses what cannot be taken apart.
STAGECUT_DECL void check_comparable(const schedule& order, const simulation<double>& measured);

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
[[nodiscard]] STAGECUT_DECL run_comparison compare_runs(const schedule& order, const pass_times<double>& times,
                                                        const transfer_times<double>& transfers,
                                                        const simulation<double>& measured);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/compare_runs.ipp>
#endif
