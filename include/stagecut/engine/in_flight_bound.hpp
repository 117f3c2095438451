// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The microbatches in flight N of every stage if a schedule is 1F1B with such numbers (including GPipe): one stage per
/// rank, N - 1 forward passes, then one forward and one backward in turn, then the remaining backward passes;
/// microbatches in order.
[[nodiscard]] STAGECUT_DECL std::optional<std::vector<std::size_t>> in_flight_of(const schedule& order);

/// A bound on how a stage spends the R = m - N microbatches between its warm-up and its drain: the sum of
/// `trips[i].second` round trips from the stage up to the stage `trips[i].first` and back, each replacing several of
/// its own pairs of passes; and `below` round trips down to the last stage.
struct steady_window {
  std::vector<std::pair<std::size_t, std::size_t>> trips{};
  std::size_t below = 0;
  std::size_t pairs = 0;  ///< of the stage's own F and B on the way, including those at the end of round trips
};

/// All useful windows of stage k: docs/makespan.md, Bounds, Windows.
[[nodiscard]] STAGECUT_DECL std::vector<steady_window> steady_windows(const std::vector<std::size_t>& in_flight,
                                                                      std::size_t m, std::size_t k);

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/in_flight_bound.ipp>
#endif
