// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The kinds of duration of a stage: its passes, and the messages over the boundary after it, in both directions.
enum tick_kind : std::size_t { tick_f, tick_b, tick_w, tick_message, tick_kinds };

/// The times of the passes and messages of a chain, in ticks, as prefix sums whose differences are the passes.
/// Trivially copyable; refers to a `chain_ticks`, or to a copy of its arrays on a device.
struct tick_rows {
  view<const double>
      sums{};  ///< `[(kind * rows + row) * (items + 1) + i]`: of the items before i; one row, or one per stage
  view<const double> own{};            ///< `[kind * stages + s]`: own time of stage s in a pass
  view<const double> messages{};       ///< `[boundary * (items + 1) + cut]`
  view<const std::size_t> boundary{};  ///< after stage s: its row of `messages`
  std::size_t items = 0;
  std::size_t stages = 0;

  /// Prefix sums of the times of items in passes of stage s.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr const double* row(std::size_t kind, std::size_t s) const noexcept {
    const std::size_t width = items + 1;
    const bool alike = sums.size() == 3 * width;
    return sums.data() + (alike ? kind : kind * stages + s) * width;
  }
  /// A pass of `[first, last)` as stage s.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double pass(std::size_t kind, std::size_t s, std::size_t first,
                                                           std::size_t last) const noexcept {
    const double* const here = row(kind, s);
    return here[last] - here[first] + own[kind * stages + s];
  }
  /// A message over the boundary after stage s, cut at y; the same in both directions.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double message(std::size_t s, std::size_t y) const noexcept {
    return s + 1 < stages ? messages[boundary[s] * (items + 1) + y] : 0;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
