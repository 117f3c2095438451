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

/// Rejects invalid machines, and figures whose costs are not finite.
STAGECUT_DECL void check_nested_machines(const char* function, const pipeline_states& states,
                                         const nested_machines& machines);

/// The search over all levels.
class nested_search {
 public:
  nested_search(const pipeline_states& states, const nested_machines& machines, bool memory);

  /// The cost of the best plan; `no_nested_plan` if there is none.
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

/// The most stages: the length of the longest chain of nested points.
[[nodiscard]] STAGECUT_DECL std::size_t most_stages(const pipeline_states& states);

}  // namespace detail

/// See `minimize_nested_time`.
struct minimize_nested_time_fn {
  /// See `minimize_nested_time`.
  [[nodiscard]] outcome<nested_cut> operator()(const pipeline_states& states, const nested_machines& machines) const;
};

/// Cuts a model into stages and replicates them on nested machines, so that the bottleneck is smallest: the largest time
/// per minibatch of a stage, whose replicas take turns.
///
/// The model is cut for the last level first: each stage gets a number of its machines, and inside each of them it is
/// cut again for the level below. With r replicas a stage that takes T seconds and has P bytes of parameters takes
/// `(T + 4 (r - 1) P / (b r)) / r` seconds at bandwidth b, and at least each of the messages that cross its boundaries
/// at its level, `2 x / (b r)` for x bytes, forward and back. T is the bottleneck of the level below.
///
/// @param states    the points where the model may be cut
/// @param machines  levels, memory and rules
/// @return          optimal; infeasible: `more_stages_than_layers`, where each machine must have a stage of its own, or
///                  `memory` with the bytes that would suffice
/// @throws          argument_error for invalid machines; invalid_input as `check_pipeline_states`
///
/// Exact for costs as computed. Ties: on each level, from the last one on, stage by stage the one that ends at the
/// smallest point, then the fewest replicas, then the fewest machines after it. For N points, E nested pairs of them,
/// and m machines of a level: O(E m^2) for the last level, O(E N m^2) and N^2 m numbers for each level below.
///
/// Source: Narayanan et al., PipeDream (SOSP 2019), section 3.1; see `nested_machines::as_published`.
inline constexpr minimize_nested_time_fn minimize_nested_time{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/minimize_nested_time.ipp>
#endif
