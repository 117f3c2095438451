// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Warm-up counts of 1F1B for stages that form a graph.
struct warm_up_choice {
  std::vector<std::size_t> warm_up{};  ///< of each stage
  double makespan = 0;                 ///< with these counts
};

/// The warm-up counts of 1F1B in a chain: the number of stages with higher numbers.
/// @param stages  number of stages k
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> warm_up_by_rank(std::size_t stages);

/// The warm-up counts by the longest path to a last stage: the fewest with which no two adjacent stages take turns.
/// @param of  its edges lead from lower to higher stages
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> warm_up_by_depth(const stage_pipeline& of);

/// See `warm_up_schedule`.
struct warm_up_schedule_fn {
  /// See `warm_up_schedule`.
  [[nodiscard]] schedule operator()(const stage_pipeline& of, view<const std::size_t> warm_up,
                                    std::size_t microbatches) const;

 private:
  static void refuse(const char* argument, const std::string& value, const char* requirement);
};

/// The schedule of warm-up counts: `in-flight` with the edges of the stages.
///
/// @param of            stages and edges
/// @param warm_up       of each stage, as `stage_makespan` takes them
/// @param microbatches  per iteration, m
/// @return              one rank a stage. If no stage has more than one of a lower number, the order of
///                      `in_flight_order` for counts + 1, plus the edges
/// @throws              argument_error where `stage_makespan` throws, and for several stages without any edge, which a
///                      schedule cannot express
inline constexpr warm_up_schedule_fn warm_up_schedule{};

/// See `choose_warm_up`.
struct choose_warm_up_fn {
  /// See `choose_warm_up`.
  [[nodiscard]] outcome<warm_up_choice> operator()(const stage_pipeline& of, std::size_t microbatches,
                                                   transfer_kind transfers = transfer_kind::link,
                                                   std::optional<double> memory_limit = {}) const;
};

/// Chooses warm-up counts for a short makespan. It starts from the counts by rank, by depth, twice that, the most and
/// none, and changes one stage by one, with those that must follow, while that shortens the iteration or, for the same
/// length, reduces what is in flight. If memory and m leave at most 4096 count vectors, it tries all of them.
///
/// @param of                 stages, edges and messages
/// @param microbatches       per iteration, m
/// @param transfers          `latency` or `link`
/// @param memory_limit  bytes that no stage may exceed with min(w + 1, m) microbatches in flight; unset: any
/// @return                   counts of at most m - 1 with their makespan: optimal if it tried all, else feasible;
///                           infeasible, `memory`, with the first stage that cannot hold one microbatch
/// @throws                   as `stage_makespan`; argument_error for memory that is NaN or negative
///
/// Deterministic; ties in makespan go to the least sum of counts. O(k) simulations per step.
inline constexpr choose_warm_up_fn choose_warm_up{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/warm_up.ipp>
#endif
