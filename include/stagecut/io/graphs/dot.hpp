// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Reads a graph from a subset of DOT, the language of Graphviz.
///
/// `[strict] digraph NAME { ... }` of statements with or without semicolons: nodes `a [...]`, edges `a -> b -> c [...]`,
/// attributes of the graph `key=value` or `graph [...]`, and subgraphs, whose braces are ignored. Names are words,
/// numbers or in double quotes; comments are `//`, `/* */` and lines that begin with `#`. A node has the words of a layer
/// in JSON: the figures (`forward`, `backward`, `output`, ...), `cpu`, `stage`, `kind`, `group`, `accelerator=false`,
/// `pass=backward`; or `weight`, its seconds if neither pass is given. The `weight` of an edge is bytes, the output of
/// its source. The graph has the words of `machine`. Other attributes are layout, and ignored.
///
/// @param text    the content
/// @param source  its name in errors
/// @param limits  limits on the input
/// @return        the nodes as layers, in the order of first mention
/// @throws        invalid_input with `SOURCE:LINE`: for the unsupported parts `graph`, edge `--`, ports, a subgraph as
///                the end of an edge, and defaults (`node [...]`) of meaningful attributes; a node that sends different
///                weights; a duplicate edge in a graph that is not strict; a cycle; with `SOURCE` if there is no node, or
///                several nodes without an edge, and beyond the limit
///
/// Source: Graphviz, The DOT Language.
[[nodiscard]] STAGECUT_DECL profile parse_dot(std::string_view text, std::string_view source,
                                              const read_limits& limits = {});

/// A plan as a graph in DOT: its layers with their figures, each stage a cluster of its own colour. `parse_dot` reads the
/// layers and edges back, except what DOT has no words for: tied parameters, variants, modules.
///
/// @return  lines; nodes are named, or numbered if names are empty or not unique
/// @throws  argument_error if the parts of the plan contradict each other
[[nodiscard]] STAGECUT_DECL std::string as_dot(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/dot.ipp>
#endif
