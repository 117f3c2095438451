// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/basic_layered_graph.hpp>

#include <algorithm>
#include <cstddef>
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
struct marked_graph : stagecut::engine::basic_layered_graph<node, edge> {
  using basic_layered_graph::keep_marked;
  using basic_layered_graph::marks_;
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

/// The least sum of names over paths to the last step, step by step from the first one.
double shortest_from_first(const std::vector<node>& nodes, const std::vector<edge>& edges, std::uint32_t last) {
  std::vector<double> before(nodes.size(), stagecut::engine::no_ticks);
  for (std::size_t u = 0; u < nodes.size() && nodes[u].step == nodes[0].step; ++u) before[u] = 0;
  for (const edge& each : edges) before[each.to] = std::min(before[each.to], before[each.from] + each.name);
  double least = stagecut::engine::no_ticks;
  for (std::size_t u = 0; u < nodes.size(); ++u) least = nodes[u].step == last ? std::min(least, before[u]) : least;
  return least;
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

    marked_graph graph;
    graph.nodes = nodes;
    graph.edges = edges;
    const bool any = graph.prune(last, [](const edge& each) { return each.name == 0; });
    CHECK(any == !expected.empty());
    const auto names = [&] {
      std::vector<int> all;
      for (const edge& each : graph.edges) all.push_back(each.name);
      return all;
    };
    CHECK(names() == expected);
    for (std::size_t u = 0; u < nodes.size(); ++u) CHECK((graph.marks_[u] == 2) == (on_path[u] == 1));

    // The same without the other nodes, and its shortest path.
    const double shortest = shortest_from_first(nodes, graph.edges, last);
    graph.keep_marked();
    CHECK(names() == expected);
    CHECK(graph.nodes.size() == static_cast<std::size_t>(std::count(on_path.begin(), on_path.end(), 1)));
    CHECK(graph.first.size() == graph.nodes.size() + 1);
    for (std::uint32_t u = 0; u < graph.nodes.size(); ++u) {
      for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) CHECK(graph.edges[i].from == u);
    }
    std::vector<double> rest;
    CHECK(graph.least([&](std::size_t i, double behind) { return graph.edges[i].name + behind; }, rest) == shortest);
  }
}
