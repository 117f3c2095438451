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

/// Where the times of stage s stand in an array of all times, `[s * kinds + place]`. Counts have the same layout.
struct time_layout {
  static constexpr std::size_t nowhere = ~std::size_t{0};

  std::size_t kinds = tick_kinds;  ///< numbers of a stage
  std::size_t forward = tick_f;
  std::size_t backward = tick_b;
  std::size_t weight = tick_w;         ///< counts only where the schedule runs those passes apart
  std::size_t message = tick_message;  ///< over the boundary behind the stage, down and up
  bool before = false;                 ///< or over the one before it
  std::size_t all_reduce = nowhere;    ///< of its gradients at the end; `nowhere`: there is none
};

/// Simulates one schedule again and again with other times of its stages, and counts what is on critical paths.
///
/// Passes and messages wait in the same way whatever the times: each path is a sum over stages, and a bound for all times.
class times_simulator {
 public:
  /// @param splits        whether the schedule runs the gradients of inputs and parameters apart
  /// @param has_messages  whether messages between ranks take time or order
  times_simulator(const schedule& order, transfer_kind transfers, bool splits, bool has_messages,
                  const time_layout& layout = {});

  pass_times<double> times{};         ///< of every stage
  transfer_times<double> messages{};  ///< of every boundary

  /// When the iteration ends. Allocates nothing after the first call.
  double run() { return makespan_ = graph_.makespan(times, messages, workspace_); }

  /// The same with other times, in their layout.
  double run(const double* all);

  /// How often each kind of each stage is on a critical path of the last run, in the layout of times.
  void count_critical(std::vector<double>& counts) const;

  /// What is simulated.
  [[nodiscard]] const task_graph& graph() const noexcept { return graph_; }

 private:
  void count(std::size_t index, std::vector<double>& counts) const;

  /// The message that a pass awaits, where messages are no tasks.
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
