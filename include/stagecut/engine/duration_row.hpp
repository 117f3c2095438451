// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/tick_rows.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// What the durations of a slot program are, for a cut: each is a sum of passes and messages of stages. Trivially copyable.
struct duration_row {
  /// One of them.
  struct term {
    std::uint32_t stage;
    std::uint32_t kind;  ///< of `tick_kinds`; the message is that over the boundary behind the stage
  };

  view<const std::uint32_t> first{};  ///< of every duration, its first term; and one more: the number of terms
  view<const term> terms{};

  /// How many durations there are, the first of which is 0.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t size() const noexcept { return first.size() - 1; }

  /// A duration, in ticks.
  /// @param points  of the cut, whatever holds them
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
