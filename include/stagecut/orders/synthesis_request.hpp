// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/memory_limit.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The objective of schedule synthesis.
enum class synthesis_objective : std::uint8_t {
  makespan,  ///< the end of an iteration
  /// The longest time of a rank from the start of its first pass to its end: the time of an iteration if nothing is
  /// awaited between two of them. The measure of the zero-bubble papers.
  span
};

/// The problem that `synthesize_schedule` solves. Unset fields keep their defaults.
struct synthesis_request {
  std::vector<std::size_t> rank_of{};  ///< the rank of every stage; empty: stage s on rank s
  std::size_t microbatches = 1;        ///< microbatches of an iteration, m
  /// Whether a backward pass may be split into I and W, or run as B if that takes less; else always B.
  bool split = true;
  /// With `split`, the stages whose backward passes are still B; empty: none.
  std::vector<bool> whole{};
  synthesis_objective objective = synthesis_objective::makespan;  ///< what is minimized
  stage_bytes bytes{};  ///< bytes that stages keep, one element per stage, as `memory_curve` counts them
  stagecut::memory_limit memory_limit{};    ///< bytes of each rank, or one for all; empty: no limit
  search_options search{.time_limit = 10};  ///< limits of the search; nodes are schedules evaluated
  std::optional<schedule>
      start{};  ///< start; the answer is no longer than its passes with backward split as in `split`
};

/// A synthesized schedule, with a proof.
template <class T>
struct synthesized_schedule : solution<T> {
  stagecut::schedule schedule{};                                  ///< the passes of every rank
  T makespan{};                                                   ///< as `simulate` computes it
  T span{};                                                       ///< as `simulate` computes it
  synthesis_objective objective = synthesis_objective::makespan;  ///< the objective that `bound` refers to
};

}  // namespace stagecut::inline STAGECUT_ABI
