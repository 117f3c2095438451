// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/order_moments.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/check_cut.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// A stage and its microbatches in flight at some moment.
struct held_stage {
  std::uint32_t stage;
  std::uint32_t held;
};

/// A function of the bytes of a stage with microbatches in flight.
template <class Memory>
concept bytes_of_stages = requires(const Memory& memory, std::size_t i) {
  { memory(i, i, i, i) } -> std::convertible_to<double>;
};

/// The device view of `peak_memory`.
template <class Memory>
struct moments_memory {
  Memory memory;  // `memory(stage, first, last, held)`: bytes
  view<const held_stage> held{};
  view<const std::uint32_t> first{};  // per moment, its first stage in `held`; and one more: their number

  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double operator()(candidate points) const {
    double most = 0;
    for (std::size_t moment = 0; moment + 1 < first.size(); ++moment) {
      double sum = 0;
      for (std::uint32_t i = first[moment]; i < first[moment + 1]; ++i) {
        const std::size_t s = held[i].stage;
        sum += memory(s, std::size_t{points[s]}, std::size_t{points[s + 1]}, std::size_t{held[i].held});
      }
      if (most < sum) most = sum;
    }
    return most;
  }
  STAGECUT_DEVICE void call_parts() const {
    static_cast<void>(memory(std::size_t{}, std::size_t{}, std::size_t{}, std::size_t{}));
  }
};

}  // namespace detail

/// The peak memory of any rank in an iteration, in bytes: a cost of candidates that are cut points.
///
/// @tparam Memory  a function object, pure and, if a device calls it, trivially copyable or with a member `placed`:
///                 `memory(stage, first, last, held)` is the bytes of the items `[first, last)` as that stage, with
///                 `held` microbatches in flight
template <class Memory>
class peak_memory {
  static_assert(
      detail::bytes_of_stages<Memory>,
      "peak_memory(memory, schedule) asks the bytes of a stage memory(stage, first, last, held) const, a number");

 public:
  /// @param memory  kept as a copy
  /// @param order   determines the microbatches that the stages of a rank hold at the same time
  /// @throws        invalid_input as `check_schedule`
  peak_memory(Memory memory, const schedule& order) : memory_(std::move(memory)), stages_(order.stages()) {
    check_schedule(order);
    const auto stages = stagecut::engine::stages_of_ranks(order);
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      for (const auto& moment : stagecut::engine::most_held(order, r, false)) {
        for (std::size_t j = 0; j < moment.size(); ++j) {
          held_.push_back({static_cast<std::uint32_t>(stages[r][j]), static_cast<std::uint32_t>(moment[j].in_flight)});
        }
        first_.push_back(static_cast<std::uint32_t>(held_.size()));
      }
    }
  }

  /// See `candidate_cost`. Calls `memory` for each stage of a rank at each of its fullest moments.
  /// @{
  [[nodiscard]] double operator()(candidate points) const {
    const auto call = [this](auto... of) { return memory_(of...); };
    return detail::moments_memory<decltype(call)>{call, held_, first_}(points);
  }
  void check(candidate points) const {
    detail::cut_shape{"search::peak_memory", stages_, std::numeric_limits<std::uint32_t>::max(), false}.check(points);
  }
  template <class Place>
  [[nodiscard]] auto placed(Place& place) const {
    using there = stagecut::detail::placed_t<Memory, Place>;
    return detail::moments_memory<there>{stagecut::detail::placed(memory_, place),
                                         place(view<const detail::held_stage>(held_)),
                                         place(view<const std::uint32_t>(first_))};
  }
  /// @}

 private:
  Memory memory_;
  std::size_t stages_;
  std::vector<detail::held_stage> held_{};
  std::vector<std::uint32_t> first_{0};
};

}  // namespace stagecut::inline STAGECUT_ABI::search
