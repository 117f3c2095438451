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

/// How long a plan of a graph is looked for.
struct nested_graph_options {
  std::size_t most_states = 500;  ///< points without point 0; if there are at most as many, all of them are taken
  std::size_t orders = 40;        ///< else, how many orders of the layers are tried at most
  std::uint64_t seed = 1;         ///< of orders that are drawn
};

/// A graph spread over nested machines.
struct nested_graph_plan {
  graph_states
      points{};      ///< where it may be cut: its `layers_between(stage.first, stage.last)` are the layers of a stage
  nested_cut cut{};  ///< stages, by these points
  double bound = 0;  ///< seconds that the slowest stage takes at least in any plan
};

/// See `plan_nested_graph`.
struct plan_nested_graph_fn {
  /// See `plan_nested_graph`.
  [[nodiscard]] outcome<nested_graph_plan> operator()(const profile& model, const nested_machines& machines,
                                                      const nested_graph_options& options = {}) const;
};

/// Cuts a graph as `minimize_nested_time` does, and also where it has too many points to take all of them. Then it takes
/// those at which one runs the layers in an order: by number, by depth, by breadth, backwards, with the least in flight;
/// and then in orders that go through the stages of the best plan so far.
///
/// @param model     a graph, or a chain, times and bytes of a minibatch
/// @param machines  levels, memory and rules, which are not those of the published planner
/// @param options   how long it looks
/// @return          optimal where all points were taken, or if the plan meets its bound but for rounding; else feasible:
///                  the bound is all seconds divided by all devices, or what the heaviest layer takes; infeasible: as
///                  `minimize_nested_time`; unknown, `constraint`, if no order was found that keeps to the memory
/// @throws          argument_error for machines that are none, rules as published, and no orders; invalid_input as
///                  `states_of_graph`
///
/// Heuristic where there are more points. Of an order it takes as many points as make a plan in about a tenth of a second:
/// of neighbours that at which the least crosses. It ends after ten orders without a better plan. The same answer every
/// time; of equals that of the order tried first. An order of n layers and m edges takes O(n (n + m)) besides.
inline constexpr plan_nested_graph_fn plan_nested_graph{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/plan_nested_graph.ipp>
#endif
