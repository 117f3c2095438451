// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/baselines/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The limits of a search for a plan of a graph.
struct nested_graph_options {
  std::size_t most_states = 500;  ///< points without point 0; if there are no more, all of them are used
  std::size_t orders = 40;        ///< otherwise, the most linear orders of the layers that are tried
  std::uint64_t seed = 1;         ///< for random orders
};

/// A graph spread over nested machines.
struct nested_graph_plan {
  graph_states points{};  ///< the cut points: `layers_between(stage.first, stage.last)` are the layers of a stage
  nested_cut cut{};       ///< stages between these points; its bound holds for every plan
};

/// See `plan_nested_graph`.
struct plan_nested_graph_fn {
  /// See `plan_nested_graph`.
  [[nodiscard]] outcome<nested_graph_plan> operator()(const profile& model, const nested_machines& machines,
                                                      const nested_graph_options& options = {}) const;
};

/// Cuts a graph as `minimize_nested_time` does, even if it has too many points to use all of them. Then it uses the
/// points of linear orders of the layers: by number, by depth, by breadth, backwards, with the least in flight; and
/// then orders that go through the stages of the best plan so far.
///
/// @param model     a graph, or a chain, times and bytes of a minibatch
/// @param machines  levels, memory and rules, which must not be `as_published`
/// @param options   limits of the search
/// @return          optimal where all points were used, or if the plan meets its bound except for rounding; else
///                  feasible: the bound is all seconds divided by all devices, or the time of the heaviest layer;
///                  infeasible: as `minimize_nested_time`; unknown, `constraint`, if no order was found that keeps to
///                  the memory
/// @throws          argument_error for invalid machines, rules as published, and no orders; invalid_input as
///                  `states_of_graph`
///
/// Heuristic where there are more points. Of each order it uses the number of points that take about a tenth of a
/// second to plan: among neighbours the point with the fewest crossing bytes. It ends after ten orders without a better
/// plan. Deterministic; ties: the order tried first. In addition, an order of n layers and m edges takes O(n (n + m)).
inline constexpr plan_nested_graph_fn plan_nested_graph{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/plan_nested_graph.ipp>
#endif
