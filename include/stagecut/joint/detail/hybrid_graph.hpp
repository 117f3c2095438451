// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/basic_layered_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// More than any sum of times.
inline constexpr double beyond_time = engine::no_ticks;

/// A point and the number of devices left for the stages after it.
struct hybrid_node {
  std::uint32_t step;  // stages before it
  std::uint32_t point;
  std::uint32_t devices;  // of the stages after it
};

/// A stage with one of its options.
struct hybrid_edge {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t option;  // index into the table
  double bound;          // no plan through it takes less
};

/// Plans with a given number of stages as paths; several nodes may be the first.
struct hybrid_graph : engine::basic_layered_graph<hybrid_node, hybrid_edge> {
  std::uint32_t steps = 0;

  /// Removes the edges with `gone(edge)`, those that are then on no path, and the nodes without edges. Returns whether
  /// a path is left.
  template <class Gone>
  bool prune(const Gone& gone) {
    keep_paths(steps, gone);
    keep_marked();
    return !edges.empty();
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
