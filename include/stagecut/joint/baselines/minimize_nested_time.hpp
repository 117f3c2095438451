// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/baselines/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Refuses machines that are none, and of which costs cannot be told.
STAGECUT_DECL void check_nested_machines(const char* function, const pipeline_states& states,
                                         const nested_machines& machines);

/// Plans on all levels.
class nested_search {
 public:
  nested_search(const pipeline_states& states, const nested_machines& machines, bool memory);

  /// What the best plan costs; `no_nested_plan` if there is none.
  [[nodiscard]] double least() const { return least_; }

  /// @pre there is a plan
  [[nodiscard]] nested_cut told() const;

 private:
  /// Adds the stages of a level between two points, and numbers them from `of.parts` on.
  void tell(std::size_t at, double cost, nested_stage& of, std::vector<nested_stage>& stages) const;

  const pipeline_states& states_;
  const nested_machines& machines_;
  bool memory_;
  std::vector<std::vector<double>> costs_{};
  double least_;
};

/// How many stages there can be: the most points of which each holds the one before.
[[nodiscard]] STAGECUT_DECL std::size_t most_stages(const pipeline_states& states);

}  // namespace detail

/// See `minimize_nested_time`.
struct minimize_nested_time_fn {
  /// See `minimize_nested_time`.
  [[nodiscard]] outcome<nested_cut> operator()(const pipeline_states& states, const nested_machines& machines) const;
};

/// Cuts a model into stages and gives each of them replicas, on machines in machines, so that the slowest stage takes the
/// least time for a minibatch: replicas take turns, so each need not be faster than its share.
///
/// The model is cut for the last level first: each stage has a number of its machines, and is inside one of them cut again
/// for the level below. Of r replicas a stage that takes T seconds and has P bytes of parameters takes
/// `(T + 4 (r - 1) P / (b r)) / r` seconds at a bandwidth b, and no less than the messages that cross its ends at its
/// level, `2 x / (b r)` each of x bytes, forward and back. T is what the level below makes of it.
///
/// @param states    the points where the model may be cut
/// @param machines  levels, memory and rules
/// @return          optimal; infeasible: `more_stages_than_layers`, where each of the machines has to have a stage of its
///                  own, or `memory` with what would do
/// @throws          argument_error for machines that are none; invalid_input as `check_pipeline_states`
///
/// Exact, of costs as computed. Ties: on each level, from the last one on, stage by stage the one that ends at the
/// smallest point, then the one with the fewest replicas, then the fewest machines behind it. For N points, E pairs of them of which one holds the other, and m machines of
/// a level: O(E m^2) for the last level, O(E N m^2) and N^2 m numbers for each below.
///
/// Source: Narayanan et al., PipeDream (SOSP 2019), section 3.1; see `nested_machines::as_published`.
inline constexpr minimize_nested_time_fn minimize_nested_time{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/minimize_nested_time.ipp>
#endif
