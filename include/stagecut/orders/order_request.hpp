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

/// What an order makes least.
enum class order_objective : std::uint8_t {
  makespan,  ///< when an iteration ends
  /// The longest time of a rank from the start of its first pass to its end, which is what an iteration takes where nothing
  /// is awaited between two of them: the measure of the zero-bubble papers.
  span
};

/// For what an order is made: see `synthesize_schedule`. What is not said stays at its default.
struct order_request {
  std::vector<std::size_t> rank_of{};  ///< the rank of every stage; empty: stage s on rank s
  std::size_t microbatches = 1;        ///< of an iteration, m
  /// Whether a backward pass may be I and W apart, or B where that takes less; else B, whole.
  bool split = true;
  /// With `split`, whether a stage's backward passes are B, whole, all the same; empty: none.
  std::vector<bool> whole{};
  order_objective objective = order_objective::makespan;  ///< what is least
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
  T bound{};                  ///< no order is shorter; equal to `makespan`, or to `span`, if proved best
  std::size_t looked_at = 0;  ///< orders
  T span{};                   ///< as `simulate` tells it
  order_objective objective = order_objective::makespan;  ///< what `bound` is of

  /// What was made least.
  [[nodiscard]] T value() const noexcept { return objective == order_objective::span ? span : makespan; }
  /// How far that may be from the least, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept {
    const auto most = static_cast<double>(value());
    const auto least = static_cast<double>(bound);
    return least > 0 ? (most - least) / least : most > 0 ? 1 : 0;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI
