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

/// The vector registers that `lanes` uses: 512 bits, 256 bits, or those that the compile target guarantees. The results
/// are bitwise the same.
enum class lane_registers : std::uint8_t { plain, bits_256, bits_512 };

/// The widest that this machine has, independent of the compile target.
[[nodiscard]] STAGECUT_DECL lane_registers widest_lane_registers() noexcept;

/// The fastest that this machine has: the widest, except on AMD's family 19h (Zen 4), whose 512-bit registers work as
/// two of 256 bits, with more latency.
[[nodiscard]] STAGECUT_DECL lane_registers fastest_lane_registers() noexcept;

namespace detail {

/// One value per candidate: a cache line, or the widest vector register.
template <class T>
struct alignas(64) lane_row {
  static constexpr std::size_t width = 64 / sizeof(T);
  T of[width];
};

/// A vector register of `Values` values; for one, the value itself. Compilers emit vector instructions for this type,
/// but few for a struct with an array and a loop.
template <class T, std::size_t Values>
struct lane_vector {
  typedef T type __attribute__((vector_size(Values * sizeof(T)), may_alias));  // NOLINT(modernize-use-using): for g++
};
template <class T>
struct lane_vector<T, 1> {
  using type = T;
};

// The loop is repeated in each function: a vector wider than the registers of the function that contains it goes
// through memory, and a shared helper would be such a function. Members of an op are read one by one, since a whole
// copy must be taken apart again. No vector is an argument or a result: how wide ones are passed depends on the
// function.

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

/// Simulates several candidates at once, each in a lane of vector registers: same schedule, different durations.
///
/// Selects the registers at run time, so no compiler option is needed. Each lane has the bits of
/// `task_graph::makespan`.
///
/// @tparam T  `double`, `float`, or an integer of 4 or 8 bytes
template <class T>
class lanes {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "lanes hold numbers of 4 or 8 bytes");

 public:
  /// Number of candidates simulated at once.
  static constexpr std::size_t width = detail::lane_row<T>::width;

  /// @param program    must outlive the lanes
  /// @param registers  to compute with
  /// @throws           argument_error if this machine does not have them
  ///
  /// All durations are 0 at first. O(slots + durations) memory.
  explicit lanes(const slot_program& program, lane_registers registers = fastest_lane_registers())
      : lanes(program.steps(), registers) {
    durations_ = program.durations();
  }
  explicit lanes(const slot_program&&, lane_registers = lane_registers::plain) = delete;  // would dangle before `run`
  /// The same for steps built elsewhere; `set` is not available for these.
  explicit lanes(const slot_steps& steps, lane_registers registers = fastest_lane_registers())
      : steps_(steps), times_(steps_.durations), state_(steps_.slots), registers_(registers) {
    if (registers <= widest_lane_registers()) return;
    const char* const name = registers == lane_registers::bits_256 ? "bits_256" : "bits_512";
    detail::fail(argument_error("lanes", "registers", name, "must be registers that this machine has"));
  }

  /// A duration of a candidate, to be set before `run`.
  ///
  /// @param duration  its index in `slot_program::durations`; the one at 0 has to stay 0
  /// @param lane      below `width`
  [[nodiscard]] T& time(std::size_t duration, std::size_t lane) noexcept { return times_[duration].of[lane]; }

  /// Sets all durations of a candidate.
  ///
  /// @param lane   below `width`
  /// @param table  as `task_graph::fill` writes it
  /// @pre          the table belongs to the task graph that the program was built from
  void set(std::size_t lane, view<const T> table) noexcept {
    detail::lane_row<T>* const times = times_.data();
    const view<const std::uint32_t> durations = durations_;
    for (std::size_t i = 0; i < durations.size(); ++i) times[i].of[lane] = table[durations[i]];
  }

  /// The makespans, one per lane; a view that is valid until the next run.
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
