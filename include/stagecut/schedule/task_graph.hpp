// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/detail/duration_table.hpp>
#include <stagecut/schedule/longest_path.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Memory for repeated predictions; it grows once.
template <class T>
struct simulation_workspace {
  std::vector<T> table{};  ///< durations
  std::vector<T> ends{};   ///< of the tasks, from position 1
};

/// A schedule prepared for repeated simulation with different durations: its passes and transfers in topological order.
class task_graph {
 public:
  /// @param order    the ops of every rank. Its transfers matter for `stream` and `blocking`, which lower it themselves
  ///                 if it has none
  /// @param options  properties of the durations
  /// @throws         invalid_input for an invalid schedule (see `check_schedule`), and for one with a cyclic wait,
  ///                 naming the ops in the cycle
  ///
  /// O(ops) time and memory; if transfers have to be lowered, the time of `lower_transfers`.
  explicit task_graph(const schedule& order, const task_options& options = {});

  /// The tasks, in topological order.
  [[nodiscard]] view<const timed_task> tasks() const noexcept { return tasks_; }
  /// The transfer time of the result that each task needs, as an index into the table of durations; empty except for
  /// transfers of the kind `latency` in a chain, whose messages are not tasks.
  [[nodiscard]] view<const std::uint32_t> delays() const noexcept { return delays_; }
  /// The op of a task, by its index in `tasks()`. A transfer is given by its sending end, except for the receiving ones
  /// of `stream`; a receive with no `peer` in a schedule with edges joins the dependencies of a pass.
  [[nodiscard]] const op& what(std::size_t index) const noexcept { return what_[index]; }
  /// The positions of the tasks, counted from 1, that end the iteration.
  [[nodiscard]] view<const std::uint32_t> last_tasks() const noexcept { return last_; }
  /// The options that it was built with.
  [[nodiscard]] const task_options& options() const noexcept { return options_; }

  /// Writes the table of durations that `tasks()` and `delays()` refer to.
  /// @throws invalid_input for wrong lengths, and for values that are NaN, infinite or negative
  template <class T>
  void fill(const pass_times<T>& times, const transfer_times<T>& transfers, std::vector<T>& table) const {
    table.resize(table_.size());
    table_.fill(times, transfers, view<T>(table));
  }

  /// The makespan of the iteration.
  ///
  /// @param times      of the passes
  /// @param transfers  of the messages; their kind is that in the options
  /// @param workspace  is overwritten; holds the ends of the tasks afterwards
  /// @throws           as `fill`
  /// @pre              sums of integers are representable; `simulate` checks that
  ///
  /// Allocates nothing once the workspace has been used. Two additions and a maximum per task.
  template <class T>
  [[nodiscard]] T makespan(const pass_times<T>& times, const transfer_times<T>& transfers,
                           simulation_workspace<T>& workspace) const {
    fill(times, transfers, workspace.table);
    workspace.ends.resize(tasks_.size() + 1);
    longest_path<T>(tasks_, delays_, workspace.table, workspace.ends);
    T result{};
    for (const std::uint32_t each : last_) {
      if (result < workspace.ends[each]) result = workspace.ends[each];
    }
    return result;
  }

 private:
  /// Removes transfers where they do not count, so that a cyclic wait is not reported in terms of them.
  static schedule without_transfers(schedule order);

  task_options options_;
  detail::duration_table table_;
  std::vector<timed_task> tasks_{};
  std::vector<std::uint32_t> delays_{};
  std::vector<op> what_{};
  std::vector<std::uint32_t> last_{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/task_graph.ipp>
#endif
