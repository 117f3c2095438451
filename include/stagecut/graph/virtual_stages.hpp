// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/virtual_partition.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `virtual_stages`.
struct virtual_stages_fn {
  /// See `virtual_stages`.
  [[nodiscard]] outcome<virtual_partition> operator()(const operator_graph& graph,
                                                      const virtual_stage_request& request) const;
};

/// Cuts a graph of operators into stages, several per device, so that the heaviest device is as light as possible;
/// edges lead to the same or a later stage.
///
/// A device costs what the set of all its operators costs: its work, and each producer's output that it receives or
/// sends, once, regardless of how many of its stages use it. It needs memory for all of its stages. With
/// `load.in_flight`, a stage keeps the activations of as many microbatches as there are stages from it to the last. The
/// stage to which an operator is fixed is a device here; so are the stages of `load.speeds` and `load.constants`.
///
/// @param graph    operators and edges: see `contraction`
/// @param request  the devices, stages per device, how loads are computed, and the limits
/// @return         optimal; feasible, with a bound; infeasible, with what does not fit; unknown if none was found. No
///                 worse than what `minimize_load` finds with half of the time and the rounds; with one stage per
///                 device its answer, if devices follow each other as stages do
/// @throws         argument_error for an invalid request; invalid_input as `contraction` and `operator_costs`
///
/// `minimize_load` first finds a partition with one stage on each device. Then simulated annealing moves single
/// elements between stages, elements together with all their predecessors (or successors), and stages between devices.
/// The bounds are those of `minimize_load` that hold for any sets of elements; if they are not met, the search
/// continues until a limit is reached. With a limit of rounds and none of time, the answer is the same on every
/// machine: a round is then about 100,000 annealing steps at most, and counts as eight of `minimize_load`.
///
/// O(n + m + devices (nets + stages)) memory; an annealing step takes O(nets of what moves).
///
/// Source: D. Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC
/// 2021, section 2.2, for several stages on each device; docs/graph_methods.md describes the graph problem and the
/// search.
inline constexpr virtual_stages_fn virtual_stages{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/virtual_stages.ipp>
#endif
