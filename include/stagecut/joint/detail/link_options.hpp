// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/option_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A choice of a rank before its options are sorted.
struct option_arc {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t key;  // of the classes that go that way
};

/// Drops nodes of a graph that are on no path, and numbers the others anew.
/// @param nodes  of every boundary; the one behind the last rank is where all paths end
STAGECUT_DECL void keep_paths(option_graph& graph, const std::vector<std::uint32_t>& nodes);

/// Sorts the options of a graph by key, and turns arcs into edges with the group of options of their key.
/// @param keys  of every rank and class, in the order in which classes were added
STAGECUT_DECL void link_options(option_graph& graph, const std::vector<std::uint32_t>& nodes,
                                const std::vector<std::vector<option_arc>>& arcs,
                                const std::vector<std::vector<std::size_t>>& keys);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/link_options.ipp>
#endif
