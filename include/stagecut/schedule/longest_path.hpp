// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// One step of an iteration, as indices: of other tasks, counted from 1 (0: none), and into a table of durations.
struct timed_task {
  std::uint32_t before = 0;  ///< the previous task on the same resource
  std::uint32_t source = 0;  ///< the task whose result it needs
  std::uint32_t time = 0;    ///< its duration

  /// Equality of all members.
  friend bool operator==(const timed_task&, const timed_task&) = default;
};

/// The start of a task, from the ends of those before it.
///
/// @param each   the task
/// @param delay  the transfer time of the result that it needs
/// @param ends   of the tasks so far, at their positions; element 0 is 0
template <class T>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr T start_of(const timed_task& each, T delay, const T* ends) noexcept {
  const T free = ends[each.before];
  const T ready = static_cast<T>(ends[each.source] + delay);
  return free < ready ? ready : free;
}

/// Computes the end of every task if each runs as soon as it can: the longest paths through a graph whose tasks are in
/// topological order.
///
/// @param tasks   n tasks
/// @param delays  for every task, the table index of the transfer time of the result that it needs; empty: no transfer
///                takes time, which is faster
/// @param table   durations; element 0 is 0
/// @param ends    output of length n + 1: element 0 gets 0, element i the end of task i, counted from 1
/// @pre           the indices in `tasks` lie in `table` and before their task; no sum overflows
///
/// n additions, maxima and additions, nothing else: the same bits from every compiler and on every device.
template <class T>
STAGECUT_HOST_DEVICE constexpr void longest_path(view<const timed_task> tasks, view<const std::uint32_t> delays,
                                                 view<const T> table, view<T> ends) noexcept {
  const T* const durations = table.data();
  T* const end = ends.data();
  const std::size_t n = tasks.size();
  end[0] = T{};
  if (delays.empty()) {
    for (std::size_t i = 0; i < n; ++i) {
      const T free = end[tasks[i].before];
      const T ready = end[tasks[i].source];
      end[i + 1] = static_cast<T>((free < ready ? ready : free) + durations[tasks[i].time]);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      end[i + 1] = static_cast<T>(start_of(tasks[i], durations[delays[i]], end) + durations[tasks[i].time]);
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI
