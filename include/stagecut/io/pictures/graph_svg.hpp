// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan's layers and what feeds what as one SVG file, without scripts or anything from elsewhere: rows from the input
/// at the top to the output, each layer in the colour of its stage, edges between stages darker. Names and times of
/// layers stand in their tooltips, names in boxes that are wide enough too.
///
/// Each row stands below what feeds it, by the longest path; within rows layers stand near what they are joined to. For
/// large graphs Graphviz finds a better layout of what `as_dot` writes.
///
/// @throws argument_error if the parts of the plan do not belong together
///
/// Deterministic. O((n + m) log n) for n layers and m edges.
///
/// Source: K. Sugiyama, S. Tagawa and M. Toda, IEEE Trans. Syst. Man Cybern. 11(2):109-125, 1981, without dummy
/// vertices.
[[nodiscard]] STAGECUT_DECL std::string as_graph_svg(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/graph_svg.ipp>
#endif
