// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/tick_rows.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The durations of a slot program for a cut: each is a sum of passes and messages of stages. Trivially copyable.
struct duration_row {
  /// A term of a duration.
  struct term {
    std::uint32_t stage;
    std::uint32_t kind;  ///< of `tick_kinds`; the message crosses the boundary after the stage
  };

  view<const std::uint32_t> first{};  ///< for every duration, its first term; then the number of terms
  view<const term> terms{};

  /// The number of durations; the first is 0.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t size() const noexcept { return first.size() - 1; }

  /// A duration, in ticks.
  /// @param points  of the cut, in any container
  template <class Points>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double of(std::size_t duration, const tick_rows& rows,
                                                         const Points& points) const {
    double sum = 0;
    for (std::uint32_t i = first[duration]; i < first[duration + 1]; ++i) {
      const term each = terms[i];
      const std::size_t end = points[each.stage + 1];
      sum += each.kind == tick_message ? rows.message(each.stage, end)
                                       : rows.pass(each.kind, each.stage, points[each.stage], end);
    }
    return sum;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
