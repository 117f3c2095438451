// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/slot_program.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How `lanes` computes: with vector registers of 512 or 256 bits, or with what every machine of the kind has for which the
/// program was compiled. The results are the same bits.
enum class lane_registers : std::uint8_t { plain, bits_256, bits_512 };

/// The widest that this machine has, whatever the program was compiled for.
[[nodiscard]] STAGECUT_DECL lane_registers widest_lane_registers() noexcept;

/// The fastest that this machine has: the widest, but on AMD's family 19h (Zen 4), which has registers of 512 bits and does with
/// them what two of 256 do, later.
[[nodiscard]] STAGECUT_DECL lane_registers fastest_lane_registers() noexcept;

namespace detail {

/// A value of each candidate: a cache line, or the widest vector register.
template <class T>
struct alignas(64) lane_row {
  static constexpr std::size_t width = 64 / sizeof(T);
  T of[width];
};

/// A vector register of so many values; that of one is the value. Compilers make vector instructions of this type, and few
/// of them of a struct with an array and a loop.
template <class T, std::size_t Values>
struct lane_vector {
  typedef T type __attribute__((vector_size(Values * sizeof(T)), may_alias));  // NOLINT(modernize-use-using): for g++
};
template <class T>
struct lane_vector<T, 1> {
  using type = T;
};

// The loop stands in each function: a vector that is wider than the registers of the function in which it is written goes
// through memory, and a helper for all would be such a function. Members of an op are read one by one: copied as a whole,
// it has to be taken apart again. No value is an argument or a result: how wide ones are passed depends on the function.

template <bool Delayed, class T>
void run_plain_lanes(const slot_steps& steps, const lane_row<T>* times, lane_row<T>* state) noexcept {
  // The vector registers that all x86-64 have cannot compare integers of 8 bytes.
  constexpr std::size_t values = std::is_integral_v<T> && sizeof(T) == 8 ? 1 : 16 / sizeof(T);
  using vector = typename lane_vector<T, values>::type;
  const auto* const time = reinterpret_cast<const vector*>(times);
  auto* const end = reinterpret_cast<vector*>(state);
  constexpr std::size_t parts = lane_row<T>::width / values;
  const slot_op* const ops = steps.ops.data();
  const std::uint16_t* const delays = steps.delays.data();
  const std::size_t size = steps.ops.size();
  for (std::size_t i = 0; i < size; ++i) {
    const slot_op& each = ops[i];
    const vector* const before = end + parts * each.before;
    const vector* const source = end + parts * each.source;
    const vector* const delay = time + (Delayed ? parts * delays[i] : 0);
    const vector* const own = time + parts * each.time;
    vector* const to = end + parts * each.to;
    for (std::size_t part = 0; part < parts; ++part) {
      const vector free = before[part];
      vector ready = source[part];
      if constexpr (Delayed) ready += delay[part];
      to[part] = (free < ready ? ready : free) + own[part];
    }
  }
}

#if defined(__x86_64__)
template <bool Delayed, class T>
[[gnu::target("avx2")]] void run_256_bit_lanes(const slot_steps& steps, const lane_row<T>* times,
                                               lane_row<T>* state) noexcept {
  using vector = typename lane_vector<T, lane_row<T>::width / 2>::type;
  const auto* const time = reinterpret_cast<const vector*>(times);
  auto* const end = reinterpret_cast<vector*>(state);
  const slot_op* const ops = steps.ops.data();
  const std::uint16_t* const delays = steps.delays.data();
  const std::size_t size = steps.ops.size();
  for (std::size_t i = 0; i < size; ++i) {
    const slot_op& each = ops[i];
    const vector* const before = end + std::size_t{2} * each.before;
    const vector* const source = end + std::size_t{2} * each.source;
    const vector* const own = time + std::size_t{2} * each.time;
    vector ready[]{source[0], source[1]};
    if constexpr (Delayed) {
      const vector* const delay = time + std::size_t{2} * delays[i];
      ready[0] += delay[0];
      ready[1] += delay[1];
    }
    const vector ends[]{(before[0] < ready[0] ? ready[0] : before[0]) + own[0],
                        (before[1] < ready[1] ? ready[1] : before[1]) + own[1]};
    vector* const to = end + std::size_t{2} * each.to;
    to[0] = ends[0];
    to[1] = ends[1];
  }
}

template <bool Delayed, class T>
[[gnu::target("avx512f")]] void run_512_bit_lanes(const slot_steps& steps, const lane_row<T>* times,
                                                  lane_row<T>* state) noexcept {
  using vector = typename lane_vector<T, lane_row<T>::width>::type;
  const auto* const time = reinterpret_cast<const vector*>(times);
  auto* const end = reinterpret_cast<vector*>(state);
  const slot_op* const ops = steps.ops.data();
  const std::uint16_t* const delays = steps.delays.data();
  const std::size_t size = steps.ops.size();
  for (std::size_t i = 0; i < size; ++i) {
    const slot_op& each = ops[i];
    const vector free = end[each.before];
    vector ready = end[each.source];
    if constexpr (Delayed) ready += time[delays[i]];
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
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "lanes hold numbers of 4 or 8 bytes");

 public:
  /// Candidates that are simulated at once.
  static constexpr std::size_t width = detail::lane_row<T>::width;

  /// @param program    must outlive the lanes
  /// @param registers  to compute with
  /// @throws           argument_error if this machine has none so wide
  ///
  /// All durations are 0 at first. O(slots and durations) memory.
  explicit lanes(const slot_program& program, lane_registers registers = fastest_lane_registers())
      : lanes(program.steps(), registers) {
    durations_ = program.durations();
  }
  explicit lanes(const slot_program&&, lane_registers = lane_registers::plain) = delete;  // would die before it is run
  /// The same of steps that somebody else made; `set` is not for these.
  explicit lanes(const slot_steps& steps, lane_registers registers = fastest_lane_registers())
      : steps_(steps), times_(steps_.durations), state_(steps_.slots), registers_(registers) {
    if (registers <= widest_lane_registers()) return;
    const char* const name = registers == lane_registers::bits_256 ? "bits_256" : "bits_512";
    detail::fail(argument_error("lanes", "registers", name, "must be registers that this machine has"));
  }

  /// A duration of a candidate, to be set before `run`.
  ///
  /// @param duration  its place among `slot_program::durations`; that at 0 has to stay 0
  /// @param lane      below `width`
  [[nodiscard]] T& time(std::size_t duration, std::size_t lane) noexcept { return times_[duration].of[lane]; }

  /// Sets all durations of a candidate.
  ///
  /// @param lane   below `width`
  /// @param table  as `task_graph::fill` writes it
  /// @pre          the table is of the task graph of which the program was made
  void set(std::size_t lane, view<const T> table) noexcept {
    detail::lane_row<T>* const times = times_.data();
    const view<const std::uint32_t> durations = durations_;
    for (std::size_t i = 0; i < durations.size(); ++i) times[i].of[lane] = table[durations[i]];
  }

  /// When the iterations end, one for each lane; refers to the lanes, until they run again.
  /// @pre no sum overflows
  view<const T> run() noexcept {
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
#if defined(__x86_64__)
      case lane_registers::bits_512: detail::run_512_bit_lanes<Delayed>(steps_, times_.data(), state_.data()); break;
      case lane_registers::bits_256: detail::run_256_bit_lanes<Delayed>(steps_, times_.data(), state_.data()); break;
#endif
      default: detail::run_plain_lanes<Delayed>(steps_, times_.data(), state_.data()); break;
    }
  }

  slot_steps steps_;
  view<const std::uint32_t> durations_{};
  std::vector<detail::lane_row<T>> times_;
  std::vector<detail::lane_row<T>> state_;
  detail::lane_row<T> result_{};
  lane_registers registers_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/lanes.ipp>
#endif
