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

/// The objective of schedule synthesis.
enum class order_objective : std::uint8_t {
  makespan,  ///< the end of an iteration
  /// The longest time of a rank from the start of its first pass to its end: the time of an iteration if nothing is
  /// awaited between two of them. The measure of the zero-bubble papers.
  span
};

/// The problem that `synthesize_schedule` solves. Unset fields keep their defaults.
struct order_request {
  std::vector<std::size_t> rank_of{};  ///< the rank of every stage; empty: stage s on rank s
  std::size_t microbatches = 1;        ///< microbatches of an iteration, m
  /// Whether a backward pass may be split into I and W, or run as B if that takes less; else always B.
  bool split = true;
  /// With `split`, the stages whose backward passes are still B; empty: none.
  std::vector<bool> whole{};
  order_objective objective = order_objective::makespan;  ///< what is minimized
  stage_bytes bytes{};           ///< bytes that stages keep, one element per stage, as `memory_curve` counts them
  std::vector<double> memory{};  ///< bytes of each rank, or one for all; empty: no limit
  search_limits limits{};        ///< limits of the search; nodes are schedules evaluated
  std::uint64_t seed = 1;        ///< seed of the search
  std::optional<schedule>
      start{};  ///< start; the answer is no longer than its passes with backward split as in `split`
};

/// A synthesized schedule, with a proof.
template <class T>
struct synthesized {
  schedule order{};           ///< the passes of every rank
  T makespan{};               ///< as `simulate` computes it
  T bound{};                  ///< no schedule is shorter; equal to `makespan`, or to `span`, if proved optimal
  std::size_t looked_at = 0;  ///< schedules evaluated
  T span{};                   ///< as `simulate` computes it
  order_objective objective = order_objective::makespan;  ///< the objective that `bound` refers to

  /// The value of the objective.
  [[nodiscard]] T value() const noexcept { return objective == order_objective::span ? span : makespan; }
  /// The optimality gap of that value, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept {
    const auto most = static_cast<double>(value());
    const auto least = static_cast<double>(bound);
    return least > 0 ? (most - least) / least : most > 0 ? 1 : 0;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI
