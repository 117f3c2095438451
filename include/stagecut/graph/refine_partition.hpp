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

/// Makes a given partition of a graph better, by moves of single elements between stages: of operators that no
/// partition can part.
///
/// @param graph     what operators take and what feeds what: see `contraction`
/// @param stage_of  of every operator, from 0. No group is parted, fixed operators stand where they have to, and the
///                  stages make no cycle; where nothing depends on a stage's number, edges may lead to lower ones, and
///                  stages are numbered anew
/// @param request   what is made less, and under what
/// @return          what was given or better, with the objective before and after. Optimal where a bound at hand proves
///                  it: the average and the heaviest element for loads, that of `minimize_graph_makespan` for the
///                  makespan. Infeasible if an operator fits on no device, or all on none together; unknown, with the
///                  stage and its bytes, if a stage as given needs more memory than there is
/// @throws          argument_error for a request that makes no sense, and for a partition that is none: with the
///                  operator, or the stages of a cycle and the edges that make it; invalid_input as `contraction` and
///                  `operator_costs`
///
/// Passes over all elements, each of which moves once at most, also where that is worse for a while; what came after
/// the best is taken back. An element moves between the latest stage before it and the earliest behind it alone, so
/// that no move makes a cycle, and not where memory forbids. Loads and messages are compared in whole ticks of
/// `operator_costs`. For a makespan moves are drawn by chance and simulated, and only better ones are kept; stages are
/// numbered by falling warm-up counts then, without those that are empty, if none is fixed. A heuristic; the same seed
/// gives the same answer unless the caller ends the search.
///
/// O(pins) memory for messages; for loads O(nets k). A pass for messages looks at the nets of an element again whenever
/// one of these changes, and takes O(pins log n) where nets are small; for loads, O(k) elements of the heaviest stages
/// beside that for every move.
///
/// Source: C. M. Fiduccia, R. M. Mattheyses, A linear-time heuristic for improving network partitions, DAC 1982;
/// moves that keep to an order: O. Moreira, M. Popp, C. Schulz, Graph partitioning with acyclicity constraints, SEA
/// 2017, section 3.
inline constexpr refine_partition_fn refine_partition{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/refine_partition.ipp>
#endif
