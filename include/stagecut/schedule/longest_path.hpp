// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// One step of an iteration, told by positions: of other tasks, counted from 1 (0: none), and in a table of durations.
struct task {
  std::uint32_t before = 0;  ///< the task whose end it awaits on its own resource
  std::uint32_t source = 0;  ///< the task whose result it awaits
  std::uint32_t time = 0;    ///< how long it takes

  /// Equal in every part.
  friend bool operator==(const task&, const task&) = default;
};

/// When a task begins, from the ends of those before it.
///
/// @param each   the task
/// @param delay  how long the result that it awaits is under way
/// @param ends   of the tasks so far, at their positions; element 0 is 0
template <class T>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr T start_of(const task& each, T delay, const T* ends) noexcept {
  const T free = ends[each.before];
  const T ready = static_cast<T>(ends[each.source] + delay);
  return free < ready ? ready : free;
}

/// When every task ends if each runs as soon as it can: the longest paths through a graph whose tasks are in an order in
/// which all they wait for comes first.
///
/// @param tasks   n of them
/// @param delays  for every task the position, in the table, of how long the result that it awaits is under way; empty:
///                all results are there at once, which is faster
/// @param table   durations; element 0 is 0
/// @param ends    of length n + 1, is written: element 0 gets 0, element i the end of task i, counted from 1
/// @pre           the positions in `tasks` lie in `table` and before their task; no sum overflows
///
/// n additions, maxima and additions, nothing else: the same bits from every compiler and on every device.
template <class T>
STAGECUT_HOST_DEVICE constexpr void longest_path(view<const task> tasks, view<const std::uint32_t> delays,
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
