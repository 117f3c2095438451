// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// One step of a slot program: the end of a task, from those of two others and a duration. Slot 0 and duration 0 are 0.
struct alignas(8) slot_op {
  std::uint16_t before = 0;  ///< the slot of the task that runs before, on the same resource
  std::uint16_t source = 0;  ///< the slot of the task whose result it awaits
  std::uint16_t time = 0;    ///< the duration
  std::uint16_t to = 0;      ///< the slot that is written; what it held is not needed any more

  /// Equal in every part.
  friend bool operator==(const slot_op&, const slot_op&) = default;
};

/// A slot program as hosts and devices run it. Trivially copyable; refers to a `slot_program` or to a copy of its arrays.
struct slot_steps {
  view<const slot_op> ops{};           ///< in the order in which they are run
  view<const std::uint16_t> delays{};  ///< of every op, the duration for which `source` is under way; empty: none is
  view<const std::uint16_t> last{};    ///< the slots of the tasks after which the iteration is over
  std::size_t slots = 1;               ///< values that are needed at one moment, at most, slot 0 among them
  std::size_t durations = 1;           ///< what `makespan` reads, duration 0 among them

  /// The same with copies of the arrays: see `memory_for`.
  template <class Memory>
  requires memory_for<Memory, slot_op> && memory_for<Memory, std::uint16_t>
  [[nodiscard]] slot_steps placed(Memory& memory) const {
    return {memory(ops), memory(delays), memory(last), slots, durations};
  }

  /// When the iteration ends.
  ///
  /// @param times   `durations` of them, `stride` elements apart; element 0 is 0
  /// @param state   room for `slots` values, as far apart; is written
  /// @param stride  1, or the number of candidates that lie side by side
  /// @pre           no sum overflows
  ///
  /// A maximum and an addition for each op: the same bits as `task_graph::makespan`, on every device.
  template <class T>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr T makespan(const T* times, T* state,
                                                          std::size_t stride = 1) const noexcept {
    state[0] = T{};
    if (delays.empty()) {
      run<false>(times, state, stride);
    } else {
      run<true>(times, state, stride);
    }
    T result{};
    for (std::size_t i = 0; i < last.size(); ++i) {
      const T end = state[last[i] * stride];
      if (result < end) result = end;
    }
    return result;
  }

 private:
  template <bool Delayed, class T>
  STAGECUT_HOST_DEVICE constexpr void run(const T* times, T* state, std::size_t stride) const noexcept {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const slot_op each = ops[i];
      const T free = state[each.before * stride];
      T ready = state[each.source * stride];
      if constexpr (Delayed) ready = static_cast<T>(ready + times[delays[i] * stride]);
      state[each.to * stride] = static_cast<T>((free < ready ? ready : free) + times[each.time * stride]);
    }
  }
};

namespace detail {

/// Which slot holds the end of which task, while a slot program is made along the tasks.
class slot_holders {
 public:
  explicit slot_holders(const task_graph& graph) : slot_holders(graph.tasks(), graph.last_tasks()) {}

  /// @param steps  each with what it awaits, `before` and `source`, by position, counted from 1; 0: nothing
  /// @param last   the positions that are needed to the end
  template <class Step, class Position>
  slot_holders(view<const Step> steps, view<const Position> last) : slot_(steps.size() + 1), uses_(slot_.size()) {
    for (const Step& each : steps) {
      ++uses_[each.before];
      ++uses_[each.source];
    }
    for (const Position each : last) ++uses_[each];
  }

  [[nodiscard]] std::uint16_t of(std::uint32_t position) const { return static_cast<std::uint16_t>(slot_[position]); }
  [[nodiscard]] std::size_t slots() const { return slots_; }

  /// One task less awaits the end of this one.
  void leave(std::uint32_t position) {
    if (position != 0 && --uses_[position] == 0) free_.push_back(slot_[position]);
  }

  /// The task at `position` ends. False if there is no slot that could be told in 16 bits.
  [[nodiscard]] bool enter(std::size_t position);

 private:
  std::vector<std::uint32_t> slot_;    // of every task, by position
  std::vector<std::uint32_t> uses_;    // tasks that still await it
  std::vector<std::uint32_t> free_{};  // slots
  std::uint32_t slots_ = 1;
};

}  // namespace detail

/// A task graph whose results share few slots: the end of a task is kept until the last task that awaits it has begun, so
/// what a simulation works on is some two or three numbers a rank, not one for every op, and fits a core's first cache many
/// times over. `lanes` simulates several candidates at once with it.
class slot_program {
 public:
  /// @param graph  of any schedule and kind of transfer
  /// @throws       invalid_input if more than 65,536 slots or durations are needed, of passes that differ by microbatch, say
  ///
  /// Slots are given out along the tasks as they stand. O(tasks) time and memory.
  explicit slot_program(const task_graph& graph);

  /// What is run; refers to the program.
  [[nodiscard]] slot_steps steps() const noexcept { return {ops_, delays_, last_, slots_, durations_.size()}; }

  /// The same with copies of the arrays: see `memory_for`.
  template <class Memory>
  [[nodiscard]] slot_steps placed(Memory& memory) const {
    return steps().placed(memory);
  }

  /// Of every duration of the program, its position in the table of durations of the task graph; the first is 0.
  [[nodiscard]] view<const std::uint32_t> durations() const noexcept { return durations_; }

 private:
  /// The place of a duration of the task graph among those of the program.
  ///
  /// @param position  in the table of the task graph
  /// @param places    of those that have one already, by position; 0: none yet
  [[nodiscard]] std::uint16_t place(std::uint32_t position, std::vector<std::uint32_t>& places);

  [[noreturn]] static void refuse(const char* what);

  std::vector<slot_op> ops_{};
  std::vector<std::uint16_t> delays_{};
  std::vector<std::uint16_t> last_{};
  std::vector<std::uint32_t> durations_{0};
  std::size_t slots_ = 1;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/slot_program.ipp>
#endif
