// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/schedule/slot_program.hpp>

#if defined(__GNUC__) && defined(__x86_64__) && !defined(__CUDACC__)
#define STAGECUT_X86_VECTORS 1
#else
#define STAGECUT_X86_VECTORS 0
#endif

namespace stagecut::inline v0 {

/// How `lanes` computes: with vector registers of 512 or 256 bits, or with whatever a compiler makes of plain arrays. The
/// results are the same bits.
enum class lane_registers : std::uint8_t { plain, bits_256, bits_512 };

/// The widest that this machine has, whatever the program was compiled for.
[[nodiscard]] inline lane_registers widest_lane_registers() noexcept {
#if STAGECUT_X86_VECTORS
  if (__builtin_cpu_supports("avx512f") != 0) return lane_registers::bits_512;
  if (__builtin_cpu_supports("avx2") != 0) return lane_registers::bits_256;
#endif
  return lane_registers::plain;
}

namespace detail {

/// A value of each candidate: a cache line, or the widest vector register.
template <class T>
struct alignas(64) lane_row {
  static constexpr std::size_t width = 64 / sizeof(T);
  T of[width];
};

template <bool Delayed, class T>
void run_plain_lanes(const slot_steps& steps, const lane_row<T>* times, lane_row<T>* state) noexcept {
  for (std::size_t i = 0; i < steps.ops.size(); ++i) {
    const slot_op each = steps.ops[i];
    lane_row<T> end;
    for (std::size_t l = 0; l < lane_row<T>::width; ++l) {
      const T free = state[each.before].of[l];
      T ready = state[each.source].of[l];
      if constexpr (Delayed) ready = static_cast<T>(ready + times[steps.delays[i]].of[l]);
      end.of[l] = static_cast<T>((free < ready ? ready : free) + times[each.time].of[l]);
    }
    state[each.to] = end;
  }
}

#if STAGECUT_X86_VECTORS
/// As many values as a vector register of so many bytes holds. Compilers make vector instructions of this type, and few of
/// them of a struct with an array and a loop.
template <class T, std::size_t Bytes>
struct lane_vector {
  typedef T type __attribute__((vector_size(Bytes), may_alias));  // NOLINT(modernize-use-using): g++ wants it here
};

// The loop stands in both functions: a vector that is wider than the registers of the function in which it is written goes
// through memory, and a helper for both would be such a function.

template <bool Delayed, class T>
[[gnu::target("avx2")]] void run_256_bit_lanes(const slot_steps& steps, const lane_row<T>* times,
                                               lane_row<T>* state) noexcept {
  using vector = typename lane_vector<T, 32>::type;
  const auto* const time = reinterpret_cast<const vector*>(times);
  auto* const end = reinterpret_cast<vector*>(state);
  for (std::size_t i = 0; i < steps.ops.size(); ++i) {
    const slot_op each = steps.ops[i];
    for (std::size_t half = 0; half < 2; ++half) {
      const vector free = end[2 * each.before + half];
      vector ready = end[2 * each.source + half];
      if constexpr (Delayed) ready += time[2 * steps.delays[i] + half];
      end[2 * each.to + half] = (free < ready ? ready : free) + time[2 * each.time + half];
    }
  }
}

template <bool Delayed, class T>
[[gnu::target("avx512f")]] void run_512_bit_lanes(const slot_steps& steps, const lane_row<T>* times,
                                                  lane_row<T>* state) noexcept {
  using vector = typename lane_vector<T, 64>::type;
  const auto* const time = reinterpret_cast<const vector*>(times);
  auto* const end = reinterpret_cast<vector*>(state);
  for (std::size_t i = 0; i < steps.ops.size(); ++i) {
    const slot_op each = steps.ops[i];
    const vector free = end[each.before];
    vector ready = end[each.source];
    if constexpr (Delayed) ready += time[steps.delays[i]];
    end[each.to] = (free < ready ? ready : free) + time[each.time];
  }
}
#endif

}  // namespace detail

/// Simulates several candidates at once, each in a lane of vector registers: other durations, the same schedule.
///
/// The registers are chosen when the program runs, so that nothing need be said to the compiler. Each lane has the bits of
/// `task_graph::makespan`.
///
/// @tparam T  `double`, `float`, or an integer of 4 or 8 bytes
template <class T>
class lanes {
 public:
  /// Candidates that are simulated at once.
  static constexpr std::size_t width = detail::lane_row<T>::width;

  /// @param program    must outlive the lanes
  /// @param registers  to compute with; wider ones than the machine has must not be asked for
  ///
  /// All durations are 0 at first. O(slots and durations) memory.
  explicit lanes(const slot_program& program, lane_registers registers = widest_lane_registers())
      : steps_(program.steps()), times_(steps_.durations), state_(steps_.slots), registers_(registers) {}

  /// A duration of a candidate, to be set before `run`.
  ///
  /// @param duration  its place among `slot_program::durations`; 0 stays 0
  /// @param lane      below `width`
  [[nodiscard]] T& time(std::size_t duration, std::size_t lane) noexcept { return times_[duration].of[lane]; }

  /// When the iterations end, one for each lane; refers to the lanes, until they run again.
  /// @pre no sum overflows
  view<const T> run() noexcept {
    state_[0] = {};
    if (steps_.delays.empty()) {
      run_ops<false>();
    } else {
      run_ops<true>();
    }
    result_ = {};
    for (const std::uint16_t each : steps_.last) {
      for (std::size_t l = 0; l < width; ++l) {
        if (result_.of[l] < state_[each].of[l]) result_.of[l] = state_[each].of[l];
      }
    }
    return {result_.of, width};
  }

 private:
  template <bool Delayed>
  void run_ops() noexcept {
    switch (registers_) {
#if STAGECUT_X86_VECTORS
      case lane_registers::bits_512: detail::run_512_bit_lanes<Delayed>(steps_, times_.data(), state_.data()); break;
      case lane_registers::bits_256: detail::run_256_bit_lanes<Delayed>(steps_, times_.data(), state_.data()); break;
#endif
      default: detail::run_plain_lanes<Delayed>(steps_, times_.data(), state_.data()); break;
    }
  }

  slot_steps steps_;
  std::vector<detail::lane_row<T>> times_;
  std::vector<detail::lane_row<T>> state_;
  detail::lane_row<T> result_{};
  lane_registers registers_;
};

}  // namespace stagecut::inline v0

#undef STAGECUT_X86_VECTORS
