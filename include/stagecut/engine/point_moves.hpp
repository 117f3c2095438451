// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/engine/rank_stages.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Neighbouring points `[begin, end)` of a cut, and their step to the right; none: both are 0.
struct point_run {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::ptrdiff_t by = 0;

  /// The stages `[first_stage(), end)` have these points.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t first_stage() const noexcept {
    return begin == 0 ? 0 : begin - 1;
  }

  /// Moves the points, in any container. Beyond either end they wrap or pass a neighbour, which `is_in_order` detects.
  template <class Points>
  STAGECUT_HOST_DEVICE constexpr void shift(const Points& points) const {
    for (std::size_t i = begin; i < end; ++i) points[i] += static_cast<typename Points::value_type>(by);
  }
  /// Moves them back.
  template <class Points>
  STAGECUT_HOST_DEVICE constexpr void unshift(const Points& points) const {
    for (std::size_t i = begin; i < end; ++i) points[i] -= static_cast<typename Points::value_type>(by);
  }
  /// Whether the stages of the run are not empty and within the items.
  template <class Points>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool is_in_order(const Points& points, std::size_t items) const {
    for (std::size_t s = first_stage(); s < end; ++s) {
      if (points[s] >= points[s + 1] || points[s + 1] > items) return false;
    }
    return true;
  }
};

/// A change of a cut: a run of points, and sometimes a second one, which may overlap the first.
struct point_move {
  point_run one{};
  point_run other{};

  /// See `point_run`.
  /// @{
  template <class Points>
  STAGECUT_HOST_DEVICE constexpr void shift(const Points& points) const {
    one.shift(points);
    other.shift(points);
  }
  template <class Points>
  STAGECUT_HOST_DEVICE constexpr void unshift(const Points& points) const {
    one.unshift(points);
    other.unshift(points);
  }
  template <class Points>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool is_in_order(const Points& points, std::size_t items) const {
    return one.is_in_order(points, items) && other.is_in_order(points, items);
  }
  /// @}
};

/// Draws the step of a run, with its sign.
[[nodiscard]] STAGECUT_HOST_DEVICE inline std::ptrdiff_t draw_step(detail::random_bits& random) {
  const auto width = static_cast<std::ptrdiff_t>(random.below(5) == 0 ? 2 + random.below(2) : 1);
  return random.below(2) == 0 ? width : -width;
}

/// Draws a random move. Half of the time the second run begins at another stage of the same rank, so that a rank can
/// give from one stage and take with the other.
///
/// @param inner  points that can move, at least 1
[[nodiscard]] STAGECUT_HOST_DEVICE inline point_move draw_move(detail::random_bits& random, std::size_t inner,
                                                               const rank_stages_view& stages_of) {
  // Mostly one point, often up to four, sometimes any number.
  const std::size_t which = random.below(16);
  const std::size_t length = which < 9 ? 1 : which < 13 ? 2 + random.below(3) : 1 + random.below(inner);
  const std::size_t first = 1 + random.below(inner);
  point_move result;
  result.one = {first, first + length < inner + 1 ? first + length : inner + 1, draw_step(random)};
  if (random.below(4) != 0) return result;
  std::size_t second = first;
  if (random.below(2) == 0) {
    const auto stages = stages_of(first);
    const std::size_t stage = stages[random.below(stages.size())];
    if (stage != 0) second = stage;
  } else {
    second = 1 + random.below(inner);
  }
  result.other = {second, second + length < inner + 1 ? second + length : inner + 1, draw_step(random)};
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
