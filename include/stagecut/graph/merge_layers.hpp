// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/merge_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `merge_layers`.
struct merge_layers_fn {
  /// See `merge_layers`.
  [[nodiscard]] outcome<merged_layers> operator()(const operator_graph& graph, const merge_request& request) const;
};

/// Merges the layers of a graph bottom-up: every indivisible element starts as a part, and pairs of parts that share an
/// edge are merged until the requested number of parts is left.
///
/// @param graph    operators and edges: see `contraction`
/// @param request  number of parts, their cost and weight limit, and which pair is merged first
/// @return         the parts in topological order, with their figures and a bound: the larger of the average and the
///                 heaviest element. Optimal if the heaviest part meets it; infeasible if an operator alone, or all
///                 together, are too heavy or need too much memory; unknown, with the number of parts left, if no two
///                 of these may be merged, or if the parts' numbers contradict fixed operators
/// @throws         argument_error for an invalid request; invalid_input as `contraction` and `operator_costs`
///
/// A pair is merged only if no other path joins its parts, so that parts never form a cycle. A bidirectional search
/// between the places of both in a maintained topological order decides that exactly, or gives up after `most_edges`
/// and leaves the pair unmerged for now. A part is at most as heavy as the average over the requested parts, or the
/// heaviest element; if too many parts are left, neighbours in the order are also merged and the limit rises by a
/// quarter, up to `most_work`. It considers only two parts at a time: use the answer as a start for `refine_partition`,
/// or as coarse parts for a search.
///
/// Deterministic; ties between pairs of equal load go to the least numbers. O(pins + m) memory; a pair costs the nets
/// of the part that has fewer, and the search. Figures of unlike stages (`load.speeds`, `load.constants`) do not affect
/// what is merged.
///
/// Source: bottom-up merging as in PyTorch's RFC-0022; D. J. Pearce, P. H. J. Kelly, A dynamic topological sort
/// algorithm for directed acyclic graphs, ACM JEA 11, 2006, for the order.
inline constexpr merge_layers_fn merge_layers{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/merge_layers.ipp>
#endif
