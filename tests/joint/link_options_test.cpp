// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/link_options.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "random_models.hpp"

using joint_tests::drawn;
using stagecut::recompute_model;
using stagecut::detail::choice_curves;
using stagecut::detail::keep_paths;
using stagecut::detail::link_options;
using stagecut::detail::option_arc;
using stagecut::detail::option_graph;
using stagecut::detail::rank_options;
using stagecut::detail::rank_rules;
using stagecut::detail::whole_times;

namespace {

const whole_times ones({1}, {1}, 1000);
const recompute_model layers{{{"l", 1, 0, 0, 0, {{"none", 2, 0, 2}, {"full", 3, 0, 1}}}}, {0, 0, 0, 0}, {}, {}};

rank_options a_rank() {
  return rank_options({{0}, {{{1, 0, 0}}}, 1e9, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {{}}}, false);
}

/// The groups that are met on the ways from node 0 to the one at the end; how often each.
std::multiset<std::vector<std::uint32_t>> ways(const option_graph& graph) {
  std::multiset<std::vector<std::uint32_t>> result;
  std::vector<std::uint32_t> met;
  const std::function<void(std::size_t, std::uint32_t)> next = [&](std::size_t r, std::uint32_t node) {
    if (r == graph.steps.size()) {
      result.insert(met);
      return;
    }
    for (const option_graph::edge& edge : graph.steps[r].edges) {
      if (edge.from != node) continue;
      met.push_back(edge.group);
      next(r + 1, edge.to);
      met.pop_back();
    }
  };
  next(0, 0);
  return result;
}

}  // namespace

TEST_CASE("nodes and edges from which no way leads to the end are dropped, and no way is lost") {
  std::mt19937 dice(1);
  std::size_t dropped = 0;
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const std::size_t ranks = drawn(dice, 1, 4);
    option_graph graph;
    std::vector<std::uint32_t> nodes{1};
    for (std::size_t r = 0; r < ranks; ++r) {
      graph.ranks.push_back(a_rank());
      nodes.push_back(r + 1 == ranks ? 1 : static_cast<std::uint32_t>(drawn(dice, 1, 4)));
      graph.steps.emplace_back();
      const std::size_t edges = drawn(dice, 0, 8);
      for (std::size_t e = 0; e < edges; ++e) {
        graph.steps[r].edges.push_back({static_cast<std::uint32_t>(drawn(dice, 0, nodes[r] - 1)),
                                        static_cast<std::uint32_t>(drawn(dice, 0, nodes[r + 1] - 1)),
                                        static_cast<std::uint32_t>(drawn(dice, 0, 9))});
      }
    }
    const auto before = ways(graph);
    keep_paths(graph, nodes);
    REQUIRE(graph.nodes.size() == ranks + 1);
    CHECK(graph.nodes.back() == 1);
    CHECK((graph.nodes[0] == 1) == !before.empty());
    CHECK(ways(graph) == before);
    for (std::size_t r = 0; r < ranks; ++r) {
      dropped += nodes[r] - graph.nodes[r];
      std::set<std::uint32_t> left;
      for (const option_graph::edge& edge : graph.steps[r].edges) {
        CHECK(edge.from < graph.nodes[r]);
        CHECK(edge.to < graph.nodes[r + 1]);
        left.insert(edge.from);
      }
      CHECK(left.size() == graph.nodes[r]);  // each leads on
    }
  }
  CHECK(dropped > 100);
}

TEST_CASE("a dead end between others: those behind it move up") {
  option_graph graph;
  graph.ranks = {a_rank(), a_rank()};
  graph.steps.resize(2);
  graph.steps[0].edges = {{0, 0, 5}, {0, 1, 6}, {0, 2, 7}};
  graph.steps[1].edges = {{0, 0, 8}, {2, 0, 9}};
  keep_paths(graph, {1, 3, 1});
  CHECK(graph.nodes == std::vector<std::uint32_t>{1, 2, 1});
  REQUIRE(graph.steps[0].edges.size() == 2);
  CHECK(graph.steps[0].edges[1].to == 1);
  CHECK(graph.steps[0].edges[1].group == 7);
  CHECK(graph.steps[1].edges[1].from == 1);
}

TEST_CASE("arcs become edges with all options of the classes of their key") {
  choice_curves curves(layers, ones, false);
  option_graph graph;
  graph.ranks = {
      rank_options(
          {{0, 1}, {{{1, 0, 0}, {1, 0, 0}}}, 1e9, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {{}, {}}},
          false),
      a_rank()};
  graph.steps.resize(2);
  // Keys of classes are the layers of the rank.
  const std::size_t of[][2] = {{2, 1}, {1, 0}, {1, 2}, {0, 1}};
  std::vector<std::vector<std::size_t>> keys(2);
  for (const auto& each : of) {
    REQUIRE(graph.ranks[0].add(curves, {curves.of(0, each[0]), curves.of(0, each[1])}, 1e300));
    keys[0].push_back(each[0] + each[1]);
  }
  for (const std::size_t n : {3U, 1U}) {
    REQUIRE(graph.ranks[1].add(curves, {curves.of(0, n)}, 1e300));
    keys[1].push_back(n);
  }
  // Nodes are the layers behind the first rank: 1 or 3 of 4.
  link_options(graph, {1, 2, 1}, {{{0, 0, 1}, {0, 1, 3}}, {{0, 0, 3}, {1, 0, 1}}}, keys);
  CHECK(ways(graph).size() == 2);
  for (std::size_t r = 0; r < 2; ++r) {
    const option_graph::step& step = graph.steps[r];
    REQUIRE(step.groups.size() == 2);
    REQUIRE(step.edges.size() == 2);
    CHECK(step.groups[0].first == 0);
    CHECK(step.groups[0].last == step.groups[1].first);
    CHECK(step.groups[1].last == graph.ranks[r].size());
    for (const option_graph::edge& edge : step.edges) {
      const std::size_t behind_first = (r == 0 ? edge.to : edge.from) == 0 ? 1 : 3;
      const std::size_t wanted = r == 0 ? behind_first : 4 - behind_first;
      for (std::uint32_t o = step.groups[edge.group].first; o < step.groups[edge.group].last; ++o) {
        std::size_t count = 0;
        for (const auto content : graph.ranks[r].classes()[graph.ranks[r].class_of(o)].of) {
          count += curves[content].layers();
        }
        CHECK(count == wanted);
      }
    }
  }
}
