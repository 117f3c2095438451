// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/search_limits.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// For what an order is made: see `synthesize_schedule`. What is not said stays at its default.
struct order_request {
  std::vector<std::size_t> rank_of{};  ///< the rank of every stage; empty: stage s on rank s
  std::size_t microbatches = 1;        ///< of an iteration, m
  /// Whether a backward pass may be I and W apart, or B where that takes less; else B, whole.
  bool split = true;
  /// With `split`, whether a stage's backward passes are B, whole, all the same; empty: none.
  std::vector<bool> whole{};
  stage_bytes bytes{};              ///< what stages keep, one figure a stage; as `memory_curve` reckons it
  std::vector<double> memory{};     ///< bytes of every rank, or one for all; empty: no limit
  search_limits limits{};           ///< how long to look; nodes are orders looked at
  std::uint64_t seed = 1;           ///< of the search
  std::optional<schedule> start{};  ///< to begin with; the answer is not longer than its passes as `split` has them
};

/// An order that was made, with its proof.
template <class T>
struct synthesized {
  schedule order{};           ///< what every rank does
  T makespan{};               ///< as `simulate` tells it
  T bound{};                  ///< no order is shorter; equal to `makespan` if proved best
  std::size_t looked_at = 0;  ///< orders

  /// How far the makespan may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept {
    const auto most = static_cast<double>(makespan);
    const auto least = static_cast<double>(bound);
    return least > 0 ? (most - least) / least : most > 0 ? 1 : 0;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI
