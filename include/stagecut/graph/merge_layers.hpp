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

/// Merges the layers of a graph from below: every operator that can be parted from others is a part, and pairs of parts
/// that an edge joins become one, until there are no more parts than asked for.
///
/// @param graph    what operators take and what feeds what: see `contraction`
/// @param request  how many parts, what they cost, how heavy they may be, and which pair comes first
/// @return         the parts in an order in which no edge leads to an earlier one, with their figures and a bound: the
///                 average and the heaviest element. Optimal if the heaviest part meets it; infeasible if an operator
///                 alone, or all together, are too heavy or need too much memory; unknown, with how many parts are
///                 left, if no two of these may be one, and if the numbers of parts are not those of fixed operators
/// @throws         argument_error for a request that makes no sense; invalid_input as `contraction` and
///                 `operator_costs`
///
/// A pair becomes one only if no other path leads from one to the other, so that parts never make a cycle. A search
/// both ways, between the places of both in a kept order, tells that exactly, or gives up after `most_edges` and
/// leaves them apart for the time being. Parts are not heavier than the average of so many, or the heaviest element;
/// where too many are left, neighbours in that order become one, too, and the limit rises by a quarter, up to
/// `most_work`. It sees two parts at a time alone: an answer is for `refine_partition` to go on from, or coarse parts
/// for a search.
///
/// Deterministic; of pairs of equal load that of the least numbers. O(pins + m) memory; a pair costs the nets of the
/// part that has fewer, and the search. Figures of unlike stages (`load.speeds`, `load.constants`) do not decide what
/// is merged.
///
/// Source: bottom-up merging as in PyTorch's RFC-0022; D. J. Pearce, P. H. J. Kelly, A dynamic topological sort
/// algorithm for directed acyclic graphs, ACM JEA 11, 2006, for the order.
inline constexpr merge_layers_fn merge_layers{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/merge_layers.ipp>
#endif
