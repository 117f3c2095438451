// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/basic_layered_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// More than any sum of times.
inline constexpr double beyond_time = engine::no_ticks;

/// A point and the devices that are left for the stages behind it.
struct hybrid_node {
  std::uint32_t step;  // stages before it
  std::uint32_t point;
  std::uint32_t devices;  // of the stages behind it
};

/// A stage in one of its ways.
struct hybrid_edge {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t option;  // of the table
  double bound;          // no plan through it has less
};

/// Plans of so many stages as paths, of which several nodes may be the first.
struct hybrid_graph : engine::basic_layered_graph<hybrid_node, hybrid_edge> {
  std::uint32_t steps = 0;

  /// Removes the edges for which `gone(edge)`, those that then lie on no path, and the nodes without edges. Returns whether a
  /// path is left.
  template <class Gone>
  bool prune(const Gone& gone) {
    keep_paths(steps, gone);
    keep_marked();
    return !edges.empty();
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
