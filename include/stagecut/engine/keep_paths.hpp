// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Removes the edges for which `gone(edge)`, asked in their order and of those that are reached alone, and those that then lie
/// on no path from a node of the step of the first one to a node of step `last`. Time and space are linear in nodes and edges.
///
/// @param nodes  by `step`
/// @param edges  by `from`, each to a node of a later step
/// @param alive  becomes, of each node, 2: on a path; 1: reached; 0: neither
template <class Node, class Edge, class Gone>
void keep_paths(const std::vector<Node>& nodes, std::vector<Edge>& edges, std::vector<char>& alive, std::uint32_t last,
                const Gone& gone) {
  alive.assign(nodes.size(), 0);
  for (std::size_t u = 0; u < nodes.size() && nodes[u].step == nodes[0].step; ++u) alive[u] = 1;
  std::size_t kept = 0;
  for (const Edge& each : edges) {
    if (alive[each.from] == 0 || gone(each)) continue;
    alive[each.to] = 1;
    edges[kept++] = each;
  }
  edges.resize(kept);
  for (std::size_t u = nodes.size(); u-- > 0;) {
    if (alive[u] == 1 && nodes[u].step == last) alive[u] = 2;
  }
  for (std::size_t i = edges.size(); i-- > 0;) {
    if (alive[edges[i].to] == 2) alive[edges[i].from] = 2;
  }
  kept = 0;
  for (const Edge& each : edges) {
    if (alive[each.to] == 2) edges[kept++] = each;
  }
  edges.resize(kept);
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
