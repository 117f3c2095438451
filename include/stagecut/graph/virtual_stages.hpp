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

/// Cuts a graph of operators into chunks of which every device holds several, so that the heaviest device is as light
/// as possible, and edges lead to the same or a later chunk.
///
/// A device takes what the set of all its operators takes: its work, and of each producer what it receives or sends,
/// once, whichever of its chunks take it. It needs memory for all of its chunks. Where `load.in_flight` says so, a chunk
/// keeps the activations of as many microbatches as there are chunks from it to the last. Where an operator has to stand
/// on a stage, that is a device here; so are the stages of `load.speeds` and `load.constants`.
///
/// @param graph    what operators take and what feeds what: see `contraction`
/// @param request  the devices, how many chunks each may hold, how loads are reckoned, and how long to look
/// @return         optimal; feasible, with a bound; infeasible, with what does not fit; unknown if none was found. No
///                 worse than what `minimize_load` finds with half of the time and the rounds; with one chunk a device
///                 its answer, where devices follow each other as stages do
/// @throws         argument_error for a request that makes no sense; invalid_input as `contraction` and
///                 `operator_costs`
///
/// A partition with one stage on each device comes first, by `minimize_load`. Then annealing moves single elements
/// between chunks, elements with all that may not stand before them (or behind), and chunks between devices. The bounds
/// are those of `minimize_load` that hold of any sets of elements, and where they are not met the search goes on until a
/// limit is reached. With a limit of rounds, and none of time, the answer is the same everywhere: a round is then about
/// 100,000 steps of annealing at most, and counts as eight of `minimize_load`.
///
/// O(n + m + devices (nets + chunks)) memory; a step of annealing takes O(nets of what moves).
///
/// Source: D. Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC
/// 2021, section 2.2, for several chunks on each device; the problem of graphs and the search are described in
/// docs/graph_methods.md.
inline constexpr virtual_stages_fn virtual_stages{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/virtual_stages.ipp>
#endif
