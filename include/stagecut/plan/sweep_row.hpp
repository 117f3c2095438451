// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// What a sweep goes through, and what it answers.
namespace stagecut::inline STAGECUT_ABI {

/// The configurations of a sweep: every combination of what the lists hold. A list that is empty leaves what the request
/// says, and of schedules what it means with so many chunks: 1F1B with 2 is interleaved. A schedule that is named is planned with
/// the numbers alone that it is made for: 1F1B with 1 chunk, interleaved with more. The first axis changes slowest, the last one
/// fastest.
struct sweep_axes {
  std::vector<std::size_t> devices{};        ///< pipeline ranks p
  std::vector<std::size_t> microbatches{};   ///< of an iteration
  std::vector<schedule_kind> schedules{};    ///< which
  std::vector<std::size_t> chunks{};         ///< stages of every rank
  std::vector<checkpointing> checkpoints{};  ///< recomputation: of which microbatches activations are computed again
};

/// One configuration of a sweep, and what came of it.
struct sweep_row {
  std::size_t devices = 0;                           ///< pipeline ranks p
  std::size_t microbatches = 0;                      ///< of an iteration
  schedule_kind schedule = schedule_kind::gpipe;     ///< which
  std::size_t chunks = 1;                            ///< stages of every rank
  checkpointing checkpoint = checkpointing::never;   ///< recomputation
  stagecut::state state = stagecut::state::unknown;  ///< of its makespan
  double makespan = 0;                               ///< of its plan, in seconds; 0 if there is none
  double bound = 0;                                  ///< no plan of it ends earlier; 0: not known
  double per_microbatch = 0;                         ///< makespan by microbatches; 0 if there is no plan
  double memory = 0;        ///< bytes of the fullest device of its plan, at its fullest moment; 0 if there is none
  double memory_bound = 0;  ///< no plan of it has a fullest device with less; 0: not known
  /// Whether no other row is at least as good in `per_microbatch` and `memory` and better in one, and none before it is equal.
  bool on_front = false;
  bool dominated = false;  ///< whether it was not planned because its bounds are worse than another row's plan
  std::string why{};       ///< why there is no plan

  /// Whether there is a plan.
  [[nodiscard]] bool has_plan() const noexcept {
    return state == stagecut::state::optimal || state == stagecut::state::feasible;
  }

  /// Equal in every part.
  friend bool operator==(const sweep_row&, const sweep_row&) = default;
};

/// See `pareto`.
struct pareto_fn {
  /// See `pareto`.
  std::vector<std::size_t> operator()(std::vector<sweep_row>& rows) const;
};

/// The Pareto front of time and memory: the rows with a plan of which no other one takes as little time for a microbatch,
/// has a fullest device with as few bytes, and is better in one of both. Of rows that are equal in both, the first.
///
/// @param rows  whose `on_front` is set
/// @return      the indices of the front, by time, so that memory falls. O(n log n)
inline constexpr pareto_fn pareto{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/sweep_row.ipp>
#endif
