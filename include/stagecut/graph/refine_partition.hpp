// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/refine_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `refine_partition`.
struct refine_partition_fn {
  /// See `refine_partition`.
  [[nodiscard]] outcome<refined_partition> operator()(const operator_graph& graph,
                                                      const std::vector<std::size_t>& stage_of,
                                                      const refine_request& request = {}) const;
};

/// Improves a given partition of a graph by moving single elements (operators that no partition can separate) between
/// stages.
///
/// @param graph     operators and edges: see `contraction`
/// @param stage_of  stage of each operator, from 0. No group is split, fixed operators are on their stages, and the
///                  stages form no cycle; if nothing depends on a stage's number, edges may lead to lower ones, and the
///                  stages are renumbered
/// @param request   the objective and the constraints
/// @return          the given partition or a better one, with the objective before and after. Optimal if a cheap bound
///                  proves it: the average and the heaviest element for loads, the bound of `minimize_graph_makespan`
///                  for the makespan. Infeasible if an operator fits on no device, or all operators do not fit
///                  together; unknown, with the stage and its bytes, if a given stage needs more memory than there is
/// @throws          argument_error for an invalid request, and for an invalid partition: with the operator, or the
///                  stages of a cycle and the edges that cause it; invalid_input as `contraction` and `operator_costs`
///
/// Each pass visits all elements; an element moves at most once, even if that is temporarily worse, and moves after the
/// best state are undone. An element moves only between the latest stage before it and the earliest after it, so that
/// no move creates a cycle, and never beyond memory. Loads and messages are compared in whole ticks of
/// `operator_costs`. For a makespan, moves are drawn at random and simulated, and only improvements are kept; then, if
/// no stage is fixed, stages are numbered by falling warm-up counts and empty ones dropped. A heuristic; the same seed
/// gives the same answer unless the caller ends the search.
///
/// O(pins) memory for messages; O(nets k) for loads. A pass for messages reconsiders an element's nets whenever one of
/// them changes, and takes O(pins log n) if nets are small; for loads, every move costs another O(k) elements of the
/// heaviest stages.
///
/// Source: C. M. Fiduccia, R. M. Mattheyses, A linear-time heuristic for improving network partitions, DAC 1982;
/// order-preserving moves: O. Moreira, M. Popp, C. Schulz, Graph partitioning with acyclicity constraints, SEA 2017,
/// section 3.
inline constexpr refine_partition_fn refine_partition{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/refine_partition.ipp>
#endif
