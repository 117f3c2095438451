// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// The input and output of a sweep.
namespace stagecut::inline STAGECUT_ABI {

/// The configurations of a sweep: every combination of the lists. An empty list keeps the request's value; for
/// schedules, what that means with the given stages per rank: 1F1B with 2 is interleaved. A named schedule is planned
/// only with the numbers it supports: 1F1B with 1 stage per rank, interleaved with more. The first axis changes
/// slowest, the last one fastest.
struct sweep_axes {
  std::vector<std::size_t> devices{};        ///< pipeline ranks p
  std::vector<std::size_t> microbatches{};   ///< per iteration
  std::vector<schedule_kind> schedules{};    ///< the schedules
  std::vector<std::size_t> stages_per_rank{};  ///< stages per rank
  std::vector<checkpointing> checkpoints{};    ///< for which microbatches activations are recomputed
};

/// One configuration of a sweep, with its result.
struct sweep_row {
  std::size_t devices = 0;                           ///< pipeline ranks p
  std::size_t microbatches = 0;                      ///< per iteration
  schedule_kind schedule = schedule_kind::gpipe;     ///< the schedule
  std::size_t stages_per_rank = 1;                   ///< stages per rank
  checkpointing checkpoint = checkpointing::never;   ///< recomputation
  stagecut::state state = stagecut::state::unknown;  ///< of its makespan
  double makespan = 0;                               ///< of its plan, in seconds; 0 if there is none
  double bound = 0;                                  ///< no plan of it finishes earlier; 0: not known
  double per_microbatch = 0;                         ///< makespan divided by microbatches; 0 if there is no plan
  double memory = 0;        ///< peak bytes of the fullest device of its plan; 0 if there is none
  double memory_bound = 0;  ///< no plan of it has a fullest device with less; 0: not known
  /// Whether no other row dominates it in `per_microbatch` and `memory`, and none before it is equal.
  bool on_front = false;
  bool dominated = false;  ///< whether it was skipped because its bounds are worse than another row's plan
  std::size_t needed = 0;  ///< if memory is why there is no plan: the bytes of a device that would do
  std::string why{};       ///< why there is no plan

  /// Whether there is a plan.
  [[nodiscard]] bool has_plan() const noexcept {
    return state == stagecut::state::optimal || state == stagecut::state::feasible;
  }

  /// Member-wise equality.
  friend bool operator==(const sweep_row&, const sweep_row&) = default;
};

/// See `mark_pareto_front`.
struct mark_pareto_front_fn {
  /// See `mark_pareto_front`.
  std::vector<std::size_t> operator()(std::vector<sweep_row>& rows) const;
};

/// The Pareto front of time and memory: the rows with a plan that no other row dominates in time per microbatch and in
/// bytes of the fullest device. Among equal rows, the first.
///
/// @param rows  their `on_front` is set
/// @return      the indices of the front, by increasing time and falling memory. O(n log n)
inline constexpr mark_pareto_front_fn mark_pareto_front{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/sweep_row.ipp>
#endif
