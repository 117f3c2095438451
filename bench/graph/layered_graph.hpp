// SPDX-License-Identifier: BSL-1.0
// A large graph: layers of 100 operators; each uses the outputs of two random ones of the previous layer.
#pragma once

#include <stagecut/graph/operator_graph.hpp>

#include <cstddef>
#include <random>

namespace bench {

/// All work and all messages take one second.
inline stagecut::operator_graph layered_graph(std::size_t n) {
  constexpr std::size_t width = 100;
  std::mt19937 random(1);
  stagecut::operator_graph graph;
  for (std::size_t v = 0; v < n; ++v) {
    stagecut::graph_operator each;
    each.forward = 1;
    each.sent_seconds = 1;
    graph.operators.push_back(each);
    for (std::size_t i = 0; i < 2 && v >= width; ++i) {
      graph.edges.push_back({(v / width - 1) * width + random() % width, v});
    }
  }
  return graph;
}

}  // namespace bench
