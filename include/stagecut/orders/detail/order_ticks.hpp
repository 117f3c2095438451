// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/parts/check_durations.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

[[noreturn]] inline void refuse_order(const char* argument, const std::string& value, const std::string& requirement) {
  fail(argument_error("synthesize_schedule", argument, value, requirement));
}

/// @throws argument_error for an invalid time limit
STAGECUT_DECL void check_order_limits(const synthesis_request& request);

/// The ranks and stages of a request, checked.
[[nodiscard]] STAGECUT_DECL schedule_problem placed_problem(std::size_t stages, const synthesis_request& request);

/// Times in whole ticks. Integers are unchanged; otherwise a tick is a power of two of their unit, so small that an
/// iteration has less than 2^50, and fractions of a tick are dropped. `float` has 2^21: it represents all of these
/// exactly, so that rounded sums in a simulation are never below those of ticks.
template <class T>
class order_ticks {
 public:
  /// Writes the times of a problem that has its ranks and stages.
  /// @throws invalid_input for vectors of the wrong length, for values that are NaN, infinite or negative, and for a
  ///         sum that is not representable
  order_ticks(const pass_times<T>& times, const transfer_times<T>& transfers, schedule_problem& of) : of_(of) {
    check(times, transfers);
    scale(times, transfers);
    const std::size_t stages = of.stages();
    of.time.assign(of.letters(), 0);
    of.down.assign(stages, 0);
    of.up.assign(stages, 0);
    for (std::size_t s = 0; s < stages; ++s) {
      of.time[forward_of(s)] = ticks(times.forward[s]);
      of.time[backward_of(s)] = ticks(apart(s) ? times.backward_input[s] : whole(times, s));
      if (apart(s)) of.time[weight_of(s)] = ticks(times.backward_weight[s]);
      if (s + 1 == stages || of.rank_of[s] == of.rank_of[s + 1]) continue;
      of.down[s] = ticks(message(transfers.forward, s));
      of.up[s] = ticks(message(transfers.backward, s));
    }
    add_together(times);
    of.links = transfers.kind == transfer_kind::link && (!transfers.forward.empty() || !transfers.backward.empty());
    of.all_reduce.assign(stages, 0);
    of.step.assign(of.ranks, 0);
    for (std::size_t s = 0; s < times.all_reduce.size(); ++s) of.all_reduce[s] = ticks(times.all_reduce[s]);
    for (std::size_t r = 0; r < times.optimizer_step.size(); ++r) of.step[r] = ticks(times.optimizer_step[r]);
  }

  /// The length of a tick in the unit of the times.
  [[nodiscard]] double tick() const { return scale_.figure(1); }
  /// A number of ticks in the unit of the times.
  [[nodiscard]] T time(std::int64_t ticks) const {
    if constexpr (integer<T>) {
      return static_cast<T>(ticks);
    } else {
      return static_cast<T>(scale_.figure(ticks));
    }
  }

 private:
  /// Adds the times of unsplit backward passes, if some take less memory than split ones, or less time by more than
  /// rounding.
  void add_together(const pass_times<T>& times) {
    bool any = false;
    std::vector<std::int64_t> together;
    for (std::size_t s = 0; s < of_.stages() && of_.split; ++s) {
      const std::int64_t both = of_.time[backward_of(s)] + of_.time[weight_of(s)];
      if (times.backward.empty() || !apart(s)) {
        together.push_back(both);
        any = any || of_.saves(s);
        continue;
      }
      const std::int64_t whole = ticks(times.backward[s]);
      const bool less = times.backward[s] < detail::duration_sum(times.backward_input[s], times.backward_weight[s]);
      const bool longer = of_.saves(s) && whole - both > both >> 30U;
      together.push_back(less || longer ? (less && both < whole ? both : whole) : both);
      any = any || of_.saves(s) || both - together[s] > both >> 30U;
    }
    if (any) of_.together = std::move(together);
  }

  /// Whether I and W of a stage are separate passes.
  [[nodiscard]] bool apart(std::size_t s) const { return of_.split && !of_.whole[s]; }

  void check(const pass_times<T>& times, const transfer_times<T>& transfers) const {
    const std::size_t stages = of_.stages();
    const auto passes = [&](std::string_view name, const std::vector<T>& values, bool needed) {
      each(name, values, values.empty() && !needed ? 0 : stages);
    };
    const bool parts = of_.split || times.backward.empty();
    passes("forward", times.forward, true);
    passes("backward", times.backward, false);
    passes("backward_input", times.backward_input, parts);
    passes("backward_weight", times.backward_weight, parts);
    if (!times.overlapped.empty()) fail(invalid_input("overlapped", "no passes run together in an order that is made"));
    each("all_reduce", times.all_reduce, times.all_reduce.empty() ? 0 : stages);
    each("optimizer_step", times.optimizer_step, times.optimizer_step.empty() ? 0 : of_.ranks);
    const auto messages = [&](std::string_view name, const std::vector<T>& values) {
      each(name, values, values.size() > 1 ? stages - 1 : values.size());
    };
    messages("transfers.forward", transfers.forward);
    messages("transfers.backward", transfers.backward);
  }

  static void each(std::string_view name, const std::vector<T>& values, std::size_t length) {
    refuse_length(name, values.size(), length);
    detail::check_durations(name, values);
  }

  /// B of a stage: I plus W if it is not given.
  [[nodiscard]] static T whole(const pass_times<T>& times, std::size_t s) {
    return times.backward.empty() ? detail::duration_sum(times.backward_input[s], times.backward_weight[s])
                                  : times.backward[s];
  }
  [[nodiscard]] static T message(const std::vector<T>& values, std::size_t b) {
    return values.empty() ? T{} : values.size() == 1 ? values[0] : values[b];
  }

  /// Chooses the tick from the total time.
  void scale(const pass_times<T>& times, const transfer_times<T>& transfers) {
    using sum_type = std::conditional_t<integer<T>, wide_integer, double>;
    sum_type sum = 0;
    const std::size_t stages = of_.stages();
    const auto add = [&](T value) { sum += static_cast<sum_type>(value); };
    for (std::size_t s = 0; s < stages; ++s) {
      add(times.forward[s]);
      add(apart(s) ? times.backward_input[s] : whole(times, s));
      if (apart(s)) add(times.backward_weight[s]);
      if (s + 1 == stages) continue;
      add(message(transfers.forward, s));
      add(message(transfers.backward, s));
    }
    sum = as_computed(sum * static_cast<sum_type>(of_.microbatches));
    for (const T value : times.all_reduce) add(value);
    for (const T value : times.optimizer_step) add(value);
    if constexpr (integer<T>) {
      constexpr auto most = static_cast<wide_integer>(std::numeric_limits<T>::max());
      if (sum > most || sum >= wide_integer{1} << digits) refuse_sum();
    } else {
      if (!(sum <= static_cast<double>(std::numeric_limits<T>::max()))) refuse_sum();
      constexpr int most = std::numeric_limits<T>::digits - 3;
      scale_ = engine::tick_scale(sum, digits < most ? digits : most);
    }
  }

  [[nodiscard]] std::int64_t ticks(T value) const {
    if constexpr (integer<T>) {
      return static_cast<std::int64_t>(value);
    } else {
      return scale_.down(static_cast<double>(value));
    }
  }

  /// Bits for an iteration, which leaves room for values some thousand times as large in the search.
  static constexpr int digits = 50;

  schedule_problem& of_;
  engine::tick_scale scale_{};  // for floating-point times
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/order_ticks.ipp>
#endif
