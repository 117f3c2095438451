// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Reads a graph from a part of DOT, the language of Graphviz.
///
/// `[strict] digraph NAME { ... }` of statements with or without semicolons: nodes `a [...]`, edges
/// `a -> b -> c [...]`, attributes of the graph `key=value` or `graph [...]`, and subgraphs, which are read as if their braces were
/// not there. Names are words, numbers or in double quotes; comments are `//`, `/* */` and lines that begin with `#`. A
/// node has the words of a layer in JSON: the figures (`forward`, `backward`, `output`, ...), `cpu`, `stage`, `kind`,
/// `group`, `accelerator=false`, `pass=backward`; or `weight`, its seconds where neither pass is given. The `weight` of
/// an edge is bytes, the output of its source. The graph has those of `machine`. Other attributes are layout, and left
/// out.
///
/// @param text    the content
/// @param source  what errors call it
/// @param limits  how much is read
/// @return        the nodes as layers, in the order in which they are named first
/// @throws        invalid_input with `SOURCE:LINE`: for a `graph`, an edge `--`, ports, a subgraph as the end of an
///                edge, and defaults (`node [...]`) of what would mean something, none of which is read; a node that
///                sends different weights; an edge that stands twice where the graph is not strict; a cycle; with
///                `SOURCE` if there is no node, or no edge between several, and beyond the limit
///
/// Source: Graphviz, The DOT Language.
[[nodiscard]] STAGECUT_DECL profile parse_dot(std::string_view text, std::string_view source,
                                              const read_limits& limits = {});

/// A plan as a graph in DOT: its layers, with what they take, each stage a cluster of its own colour. `parse_dot` reads
/// the layers and edges back, without what DOT has no words for: tied parameters, variants, modules.
///
/// @return  lines; nodes are called by their names, or by their numbers if names are empty or not unique
/// @throws  argument_error if the parts of the plan do not belong together
[[nodiscard]] STAGECUT_DECL std::string as_dot(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/dot.ipp>
#endif
