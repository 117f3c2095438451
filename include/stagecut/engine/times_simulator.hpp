// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The layout of all times, `[s * kinds + place]` for stage s. Counts have the same layout.
struct time_layout {
  static constexpr std::size_t nowhere = ~std::size_t{0};

  std::size_t kinds = tick_kinds;  ///< numbers per stage
  std::size_t forward = tick_f;
  std::size_t backward = tick_b;
  std::size_t weight = tick_w;         ///< only if the schedule runs those passes apart
  std::size_t message = tick_message;  ///< over the boundary after the stage, in both directions
  bool before = false;                 ///< or over the one before it
  std::size_t all_reduce = nowhere;    ///< of its gradients at the end; `nowhere`: none
};

/// Simulates one schedule repeatedly with different times of its stages, and counts the durations on critical paths.
///
/// Dependencies between passes and messages do not depend on the times: each path is a sum over stages, and a bound for
/// all times.
class times_simulator {
 public:
  /// @param splits        whether the schedule runs input and parameter gradients apart
  /// @param has_messages  whether messages between ranks take time or order
  times_simulator(const schedule& order, transfer_kind transfers, bool splits, bool has_messages,
                  const time_layout& layout = {});

  pass_times<double> times{};         ///< of every stage
  transfer_times<double> messages{};  ///< of every boundary

  /// Returns the end of the iteration. Allocates nothing after the first call.
  double run() { return makespan_ = graph_.makespan(times, messages, workspace_); }

  /// The same with other times, in their layout.
  double run(const double* all);

  /// How often each kind of each stage is on a critical path of the last run, in the layout of times.
  void count_critical(std::vector<double>& counts) const;

  /// The simulated task graph.
  [[nodiscard]] const task_graph& graph() const noexcept { return graph_; }

 private:
  void count(std::size_t index, std::vector<double>& counts) const;

  /// Counts the message that a pass awaits, where messages are not tasks.
  void count_message(const op& receiver, std::vector<double>& counts) const;

  task_graph graph_;
  time_layout layout_;
  std::size_t stages_;
  bool splits_;
  bool has_messages_;
  simulation_workspace<double> workspace_{};
  double makespan_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/times_simulator.ipp>
#endif
