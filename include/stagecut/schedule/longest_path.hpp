// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline v0 {

/// One step of an iteration, told by positions: of other tasks, counted from 1 (0: none), and in a table of durations.
struct task {
  std::uint32_t before = 0;  ///< the task whose end it awaits on its own resource
  std::uint32_t source = 0;  ///< the task whose result it awaits
  std::uint32_t delay = 0;   ///< how long that result is under way
  std::uint32_t time = 0;    ///< how long the task takes

  /// Equal in every part.
  friend bool operator==(const task&, const task&) = default;
};

/// When a task begins, from the ends of those before it.
///
/// @param each  the task
/// @param table  durations; element 0 is 0
/// @param ends   of the tasks so far, at their positions; element 0 is 0
///
/// `start_of<false>` is for a task without `delay`, which it does not read.
template <bool delays = true, class T>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr T start_of(const task& each, const T* table, const T* ends) noexcept {
  const T free = ends[each.before];
  const T ready = delays ? ends[each.source] + table[each.delay] : ends[each.source];
  return free < ready ? ready : free;
}

/// When every task ends if each runs as soon as it can: the longest paths through a graph whose tasks are in an order in
/// which all they wait for comes first.
///
/// @param tasks  n of them
/// @param table  durations; element 0 is 0
/// @param ends   of length n + 1, is written: element 0 gets 0, element i the end of task i, counted from 1
/// @pre          the positions in `tasks` lie in `table` and before their task; no sum overflows
///
/// n additions, maxima and additions, nothing else: the same bits from every compiler and on every device.
/// `longest_path<T, false>` is for tasks without `delay`, which it does not read: faster, and the same bits.
template <class T, bool delays = true>
STAGECUT_HOST_DEVICE constexpr void longest_path(view<const task> tasks, view<const T> table, view<T> ends) noexcept {
  const T* const durations = table.data();
  T* const end = ends.data();
  const std::size_t n = tasks.size();
  end[0] = T{};
  for (std::size_t i = 0; i < n; ++i) {
    end[i + 1] = start_of<delays>(tasks[i], durations, end) + durations[tasks[i].time];
  }
}

}  // namespace stagecut::inline v0
