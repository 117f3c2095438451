// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/layered_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Puts graphs whose first nodes are of step 1, and their last of step `steps`, behind the only node of a graph.
inline void join_graphs(const std::vector<layered_graph>& parts, std::uint32_t steps, layered_graph& graph) {
  // Nodes by step, parts one after the other within it.
  std::vector<std::vector<std::uint32_t>> to(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) to[i].resize(parts[i].nodes.size());
  for (std::uint32_t step = 1; step <= steps; ++step) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t u = 0; u < parts[i].nodes.size(); ++u) {
        if (parts[i].nodes[u].step != step) continue;
        to[i][u] = static_cast<std::uint32_t>(graph.nodes.size());
        graph.nodes.push_back(parts[i].nodes[u]);
      }
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) graph.edges.push_back({0, to[i][0], 0});
  for (std::uint32_t step = 1; step < steps; ++step) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (const auto& each : parts[i].edges) {
        if (parts[i].nodes[each.from].step == step) {
          graph.edges.push_back({to[i][each.from], to[i][each.to], each.bound});
        }
      }
    }
  }
  graph.index();
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
