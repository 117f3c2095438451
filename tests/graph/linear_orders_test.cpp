// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/parts/linear_orders.hpp>

#include <stagecut/graph/operator_set.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "random_problems.hpp"

using stagecut::precedence;
using stagecut::detail::breadth_first;
using stagecut::detail::by_priority;
using stagecut::detail::depth_first;
using stagecut::detail::element_order;
using stagecut::detail::least_cut;
using stagecut::detail::random_order;
using stagecut::detail::reversed;
using stagecut::engine::seeded;

namespace {

/// 0, 2, 4 and 1, 3, 4 follow one another.
precedence two_branches() { return precedence(5, {{0, 2}, {2, 4}, {1, 3}, {3, 4}}); }

precedence random_precedence(oracle::chance& random) {
  const std::size_t n = 1 + random.below(12);
  std::vector<precedence::element> label(n);
  for (std::size_t e = 0; e < n; ++e) label[e] = static_cast<precedence::element>(e);
  std::shuffle(label.begin(), label.end(), random.engine());
  std::vector<precedence::pair> pairs;
  for (std::size_t i = random.below(20); i > 0; --i) {
    const auto [low, high] = std::minmax({random.below(n), random.below(n)});
    if (low != high) pairs.emplace_back(label[low], label[high]);
  }
  return precedence(n, pairs);
}

/// Whether each element is there once, after its predecessors.
bool follows(const element_order& order, const precedence& below) {
  if (order.size() != below.size()) return false;
  std::vector<bool> done(below.size());
  for (const precedence::element e : order) {
    if (e >= below.size() || done[e]) return false;
    for (const precedence::element before : below.predecessors(e)) {
      if (!done[before]) return false;
    }
    done[e] = true;
  }
  return true;
}

/// The edges on the longest path to each element.
std::vector<std::uint64_t> levels(const precedence& below) {
  std::vector<std::uint64_t> result(below.size());
  for (std::size_t round = 0; round < below.size(); ++round) {
    for (std::size_t e = 0; e < below.size(); ++e) {
      for (const precedence::element to : below.successors(e)) result[to] = std::max(result[to], result[e] + 1);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("orders of two branches that meet") {
  const precedence below = two_branches();
  CHECK(depth_first(below) == element_order{1, 3, 0, 2, 4});
  CHECK(breadth_first(below) == element_order{0, 1, 2, 3, 4});
  CHECK(by_priority(below, {5, 1, 5, 6, 0}) == element_order{1, 0, 2, 3, 4});
  CHECK(by_priority(below, {0, 0, 0, 0, 0}) == element_order{0, 1, 2, 3, 4});
  CHECK(depth_first(precedence()).empty());
}

TEST_CASE("each element follows its predecessors, in whichever order") {
  oracle::chance random(3);
  seeded numbers(1);
  for (int round = 0; round < 300; ++round) {
    const precedence below = random_precedence(random);
    CHECK(follows(depth_first(below), below));
    CHECK(follows(random_order(below, numbers), below));
    const element_order broad = breadth_first(below);
    CHECK(follows(broad, below));
    const std::vector<std::uint64_t> level = levels(below);
    CHECK(std::is_sorted(broad.begin(), broad.end(),
                         [&](auto a, auto b) { return level[a] != level[b] ? level[a] < level[b] : a < b; }));
  }
}

TEST_CASE("by priority, the least of those that may be next comes first") {
  oracle::chance random(5);
  for (int round = 0; round < 200; ++round) {
    const precedence below = random_precedence(random);
    std::vector<std::uint64_t> priority(below.size());
    for (std::uint64_t& each : priority) each = random.below(6);
    const element_order order = by_priority(below, priority);
    REQUIRE(follows(order, below));
    // Of two neighbours that are not ordered the first has the lower priority, or number.
    for (std::size_t i = 1; i < order.size(); ++i) {
      const auto before = below.predecessors(order[i]);
      if (std::find(before.begin(), before.end(), order[i - 1]) != before.end()) continue;
      CHECK(std::pair(priority[order[i - 1]], order[i - 1]) < std::pair(priority[order[i]], order[i]));
    }
  }
}

TEST_CASE("an order by chance goes through stages that are given, and another seed gives another") {
  const precedence below = two_branches();
  seeded one(1);
  seeded again(1);
  std::vector<element_order> met;
  for (int i = 0; i < 200; ++i) {
    const element_order order = random_order(below, one);
    CHECK(random_order(below, again) == order);
    met.push_back(order);
    const std::vector<std::uint32_t> stage_of{1, 0, 1, 0, 1};
    CHECK(random_order(below, one, stage_of) == element_order{1, 3, 0, 2, 4});
    static_cast<void>(random_order(below, again, stage_of));
  }
  std::sort(met.begin(), met.end());
  CHECK(std::unique(met.begin(), met.end()) - met.begin() == 6);  // all that there are
}

TEST_CASE("the element with which least is cut is next") {
  stagecut::operator_graph graph;
  graph.operators.resize(5, {.forward = 8});
  const double sent[] = {4, 3, 3.5, 0, 0};
  for (std::size_t v = 0; v < 5; ++v) graph.operators[v].sent_seconds = sent[v];
  graph.operators[1].forward = 20;
  graph.edges = {{0, 3}, {1, 4}, {2, 4}};
  const stagecut::contraction parts(graph);
  const stagecut::operator_costs costs(graph, parts, {}, 1);
  CHECK(least_cut(parts.below(), stagecut::operator_set(costs)) == element_order{1, 2, 4, 0, 3});
}

TEST_CASE("turned round, what follows comes before") {
  oracle::chance random(8);
  for (int round = 0; round < 100; ++round) {
    const precedence below = random_precedence(random);
    const precedence back = reversed(below);
    REQUIRE(back.size() == below.size());
    for (std::size_t e = 0; e < below.size(); ++e) {
      CHECK(std::equal(back.predecessors(e).begin(), back.predecessors(e).end(), below.successors(e).begin(),
                       below.successors(e).end()));
    }
    element_order order = depth_first(back);
    std::reverse(order.begin(), order.end());
    CHECK(follows(order, below));
  }
}
