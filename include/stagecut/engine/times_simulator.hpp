// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Simulates one schedule again and again with other times of its stages, and counts what is on critical paths.
///
/// Passes and messages wait in the same way whatever the times: each path is a sum over stages, and a bound for all times.
class times_simulator {
 public:
  /// @param splits        whether the schedule runs the gradients of inputs and parameters apart
  /// @param has_messages  whether messages between ranks take time or order
  times_simulator(const schedule& order, transfer_kind transfers, bool splits, bool has_messages);

  pass_times<double> times{};         ///< of every stage
  transfer_times<double> messages{};  ///< of every boundary

  /// Sets all times: `all[s * tick_kinds + kind]`.
  void set(const double* all);

  /// When the iteration ends. Allocates nothing after the first call.
  double run() { return makespan_ = graph_.makespan(times, messages, workspace_); }

  /// How often each kind of each stage is on a critical path of the last run: `counts[s * tick_kinds + kind]`.
  void count_critical(std::vector<double>& counts) const;

  /// What is simulated.
  [[nodiscard]] const task_graph& graph() const noexcept { return graph_; }

 private:
  void count(std::size_t index, std::vector<double>& counts) const;

  /// The message that a pass awaits, where messages are no tasks.
  static void count_message(const op& receiver, std::vector<double>& counts);

  task_graph graph_;
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
