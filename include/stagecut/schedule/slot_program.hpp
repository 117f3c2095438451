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

/// One step of a slot program: the end of a task, from the ends of two others and a duration. Slot 0 and duration 0 are
/// 0.
struct alignas(8) slot_op {
  std::uint16_t before = 0;  ///< the slot of the previous task on the same resource
  std::uint16_t source = 0;  ///< the slot of the task whose result it needs
  std::uint16_t time = 0;    ///< the duration
  std::uint16_t to = 0;      ///< the slot written; its old value is no longer needed

  /// Equality of all members.
  friend bool operator==(const slot_op&, const slot_op&) = default;
};

/// A slot program as hosts and devices run it. Trivially copyable; refers to a `slot_program` or to a copy of its
/// arrays.
struct slot_steps {
  view<const slot_op> ops{};           ///< in execution order
  view<const std::uint16_t> delays{};  ///< per op, the transfer time of `source`; empty: none
  view<const std::uint16_t> last{};    ///< the slots of the tasks that end the iteration
  std::size_t slots = 1;               ///< the most values live at a time, including slot 0
  std::size_t durations = 1;           ///< number of inputs of `makespan`, including duration 0

  /// The same with copies of the arrays: see `memory_for`.
  template <class Memory>
  requires memory_for<Memory, slot_op> && memory_for<Memory, std::uint16_t>
  [[nodiscard]] slot_steps placed(Memory& memory) const {
    return {memory(ops), memory(delays), memory(last), slots, durations};
  }

  /// The makespan of the iteration.
  ///
  /// @param times   `durations` values, `stride` elements apart; element 0 is 0
  /// @param state   scratch memory for `slots` values, with the same stride
  /// @param stride  1, or the number of interleaved candidates
  /// @pre           no sum overflows
  ///
  /// A maximum and an addition per op: the same bits as `task_graph::makespan`, on every device.
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

/// Assigns slots to the ends of tasks while a slot program is built.
class slot_holders {
 public:
  explicit slot_holders(const task_graph& graph) : slot_holders(graph.tasks(), graph.last_tasks()) {}

  /// @param steps  each with the positions it waits for, `before` and `source`, counted from 1; 0: none
  /// @param last   the positions that stay live to the end
  template <class Step, class Position>
  slot_holders(view<const Step> steps, view<const Position> last) : slot_(steps.size() + 1), uses_(slot_.size()) {
    for (const Step& step : steps) {
      ++uses_[step.before];
      ++uses_[step.source];
    }
    for (const Position each : last) ++uses_[each];
  }

  [[nodiscard]] std::uint16_t of(std::uint32_t position) const { return static_cast<std::uint16_t>(slot_[position]); }
  [[nodiscard]] std::size_t slots() const { return slots_; }

  /// Removes one pending use of this end.
  void leave(std::uint32_t position) {
    if (position != 0 && --uses_[position] == 0) free_.push_back(slot_[position]);
  }

  /// Assigns a slot to the task at `position`. False if no slot fits in 16 bits.
  [[nodiscard]] bool enter(std::size_t position);

 private:
  std::vector<std::uint32_t> slot_;    // per task, by position
  std::vector<std::uint32_t> uses_;    // pending uses
  std::vector<std::uint32_t> free_{};  // slots
  std::uint32_t slots_ = 1;
};

}  // namespace detail

/// A task graph whose results share a few slots. The end of a task is kept until the last task that needs it has begun,
/// so a simulation works on two or three numbers per rank, not one per op, and fits into a core's L1 cache many times
/// over. `lanes` uses it to simulate several candidates at once.
class slot_program {
 public:
  /// @param graph  of any schedule and kind of transfer
  /// @throws       invalid_input if more than 65,536 slots or durations are needed, for example if passes differ by
  ///               microbatch
  ///
  /// Slots are assigned in the order of the tasks. O(tasks) time and memory.
  explicit slot_program(const task_graph& graph);

  /// The steps; refers to the program.
  [[nodiscard]] slot_steps steps() const noexcept { return {ops_, delays_, last_, slots_, durations_.size()}; }

  /// The same with copies of the arrays: see `memory_for`.
  template <class Memory>
  [[nodiscard]] slot_steps placed(Memory& memory) const {
    return steps().placed(memory);
  }

  /// For every duration of the program, its index in the table of durations of the task graph; the first is 0.
  [[nodiscard]] view<const std::uint32_t> durations() const noexcept { return durations_; }

 private:
  /// The index in the program of a duration of the task graph.
  ///
  /// @param position  in the table of the task graph
  /// @param places    indices assigned so far, by position; 0: none yet
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
