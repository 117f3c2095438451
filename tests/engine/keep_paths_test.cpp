// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/keep_paths.hpp>

#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct node {
  std::uint32_t step;
};
struct edge {
  std::uint32_t from;
  std::uint32_t to;
  int name;
};

/// Marks the edges on paths from `u` that do not use an edge of name 0, by walking all of them; whether there is one.
bool walk(const std::vector<node>& nodes, const std::vector<edge>& edges, std::uint32_t last, std::uint32_t u,
          std::vector<char>& used) {
  bool any = nodes[u].step == last;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].from != u || edges[i].name == 0 || !walk(nodes, edges, last, edges[i].to, used)) continue;
    used[i] = 1;
    any = true;
  }
  return any;
}

}  // namespace

TEST_CASE("the edges on paths are kept, compared with walking all paths") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t begin = random() % 2;
    const std::uint32_t last = begin + 1 + random() % 4;
    std::vector<node> nodes;
    for (std::uint32_t step = begin; step <= last; ++step) nodes.resize(nodes.size() + 1 + random() % 3, node{step});
    std::vector<edge> edges;
    for (std::uint32_t u = 0; u < nodes.size(); ++u) {
      for (std::uint32_t v = u + 1; v < nodes.size(); ++v) {
        if (nodes[v].step != nodes[u].step + 1 || random() % 2 == 0) continue;
        const int name = random() % 5 == 0 ? 0 : static_cast<int>(edges.size()) + 1;
        edges.push_back({u, v, name});
      }
    }
    std::vector<char> used(edges.size(), 0);
    std::vector<char> on_path(nodes.size(), 0);
    for (std::uint32_t u = 0; u < nodes.size() && nodes[u].step == begin; ++u) walk(nodes, edges, last, u, used);
    std::vector<int> expected;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (used[i] == 0) continue;
      expected.push_back(edges[i].name);
      on_path[edges[i].from] = on_path[edges[i].to] = 1;
    }

    std::vector<char> alive;
    stagecut::engine::keep_paths(nodes, edges, alive, last, [](const edge& each) { return each.name == 0; });
    std::vector<int> kept;
    for (const edge& each : edges) kept.push_back(each.name);
    CHECK(kept == expected);
    for (std::size_t u = 0; u < nodes.size(); ++u) CHECK((alive[u] == 2) == (on_path[u] == 1));
  }
}
