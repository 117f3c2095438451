// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan's graph of layers as one self-contained SVG file without scripts: rows from the input at the top to the output,
/// each layer in the colour of its stage, edges between stages darker. Tooltips show names and times of layers; boxes also
/// show names if wide enough.
///
/// Each row is below its predecessors, by the longest path; within rows, layers are close to their neighbours. For large
/// graphs, Graphviz finds a better layout from the output of `as_dot`.
///
/// @throws argument_error if the parts of the plan contradict each other
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
