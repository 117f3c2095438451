// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/keep_paths.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// More than any sum of times.
inline constexpr double beyond_time = 1e300;

/// Plans of so many stages as paths: a node is a point and the devices that are left for the stages behind it, an edge runs
/// a stage in one of its ways.
struct hybrid_graph {
  struct node {
    std::uint32_t step;  // stages before it
    std::uint32_t point;
    std::uint32_t devices;  // of the stages behind it
  };
  struct edge {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t option;  // of the table
    double bound;          // no plan through it has less
  };

  std::uint32_t steps = 0;
  std::vector<node> nodes{};           // by step; several may be the first
  std::vector<edge> edges{};           // by `from`
  std::vector<std::uint32_t> first{};  // edges of node u: [first[u], first[u + 1])

  /// Finds the edges of each node again; edges are sorted by `from`.
  void index();

  /// Removes the edges for which `gone(edge)`, those that then lie on no path, and the nodes without edges. Returns whether a
  /// path is left.
  template <class Gone>
  bool prune(const Gone& gone) {
    engine::keep_paths(nodes, edges, alive_, steps, gone);
    compact();
    return !edges.empty();
  }

 private:
  /// Removes the nodes on no path.
  void compact();

  std::vector<char> alive_{};
  std::vector<std::uint32_t> number_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/hybrid_graph.ipp>
#endif
