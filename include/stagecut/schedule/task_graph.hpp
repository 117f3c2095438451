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

/// What repeated predictions write into; it grows once.
template <class T>
struct simulation_workspace {
  std::vector<T> table{};  ///< durations
  std::vector<T> ends{};   ///< of the tasks, from position 1
};

/// A schedule made ready to be simulated again and again with other durations: its passes and transfers in an order in
/// which each follows what it waits for.
class task_graph {
 public:
  /// @param order    what every rank does. Transfers in it count for `stream` and `blocking`, which lower it themselves
  ///                 if it has none
  /// @param options  what the durations will be
  /// @throws         invalid_input for a schedule that is none (see `check_schedule`), and for one that waits for
  ///                 itself, naming the ops that wait for each other
  ///
  /// O(ops) time and memory; where transfers have to be lowered, the time of `lower_transfers`.
  explicit task_graph(const schedule& order, const task_options& options = {});

  /// The tasks, in an order in which they can be computed.
  [[nodiscard]] view<const task> tasks() const noexcept { return tasks_; }
  /// How long the result that each of them awaits is under way, by positions in the table of durations; empty but for
  /// transfers of the kind `latency` in a chain, whose messages are no tasks.
  [[nodiscard]] view<const std::uint32_t> delays() const noexcept { return delays_; }
  /// What a task does, by its place in `tasks()`. A transfer is told by its sending end, but for the receiving ones of
  /// `stream`; a receipt with no `peer` in a schedule with edges joins what a pass waits for.
  [[nodiscard]] const op& what(std::size_t index) const noexcept { return what_[index]; }
  /// The positions of the tasks, counted from 1, after which the iteration is over.
  [[nodiscard]] view<const std::uint32_t> last_tasks() const noexcept { return last_; }
  /// For what it was made.
  [[nodiscard]] const task_options& options() const noexcept { return options_; }

  /// Writes the table of durations that `tasks()` and `delays()` refer to.
  /// @throws invalid_input for lengths that do not fit, and for what is NaN, infinite or negative
  template <class T>
  void fill(const pass_times<T>& times, const transfer_times<T>& transfers, std::vector<T>& table) const {
    table.resize(table_.size());
    table_.fill(times, transfers, view<T>(table));
  }

  /// When the iteration ends.
  ///
  /// @param times      of the passes
  /// @param transfers  of the messages; their kind is that of the options
  /// @param workspace  is written; holds the ends of the tasks afterwards
  /// @throws           as `fill`
  /// @pre              sums of integers are representable; `simulate` checks that
  ///
  /// Allocates nothing once the workspace has been used. Two additions and a maximum for each task.
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
  /// Where transfers do not count, an order that waits for itself must not be told by them.
  static schedule without_transfers(schedule order);

  task_options options_;
  detail::duration_table table_;
  std::vector<task> tasks_{};
  std::vector<std::uint32_t> delays_{};
  std::vector<op> what_{};
  std::vector<std::uint32_t> last_{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/task_graph.ipp>
#endif
