// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/placement_moves.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/placement_bound.hpp>
#include <stagecut/graph/detail/placement_orders.hpp>
#include <stagecut/graph/detail/placement_search.hpp>

#include "random_problems.hpp"

using stagecut::communication_request;
using stagecut::contraction;
using stagecut::operator_graph;
using stagecut::detail::communication_elements;
using stagecut::detail::communication_weights;
using stagecut::detail::placement_bound;
using stagecut::detail::placement_cut;
using stagecut::detail::placement_moves;
using stagecut::detail::placement_search;

namespace {

/// A graph by chance with its weights.
struct weighed {
  operator_graph graph{};
  communication_weights weights{};
  communication_request request{};

  weighed(oracle::chance& random, std::size_t n, std::size_t k, bool ordered) {
    graph.operators.resize(n);
    request.devices = k;
    request.contiguous = ordered;
    request.at_most = random.one_in(2);
    for (std::size_t v = 0; v < n; ++v) {
      weights.variables.push_back(random.figure(5, false));
      weights.operations.push_back(1);
      for (std::size_t u = 0; u < v; ++u) {
        if (!random.one_in(3)) continue;
        graph.edges.push_back({u, v});
        weights.edges.push_back(random.figure(7, false));
      }
    }
  }
  [[nodiscard]] communication_elements elements() const {
    operator_graph unordered;
    unordered.operators = graph.operators;
    return {graph, contraction(request.contiguous ? graph : unordered), weights, request};
  }
};

/// Devices in ascending order, which keep to all edges.
std::vector<std::uint32_t> ascending(oracle::chance& random, std::size_t n, std::size_t k) {
  std::vector<std::uint32_t> result(n);
  for (std::size_t v = 0; v < n; ++v)
    result[v] = static_cast<std::uint32_t>((v + random.below(2) * v / n) * k / (2 * n));
  for (std::size_t v = 1; v < n; ++v) result[v] = std::max(result[v], result[v - 1]);
  return result;
}

}  // namespace

TEST_CASE("what a move changes is the difference of what is cut") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    oracle::chance random(seed);
    const std::size_t n = 2 + random.below(12);
    const std::size_t k = 2 + random.below(4);
    const weighed problem(random, n, k, random.one_in(2));
    const communication_elements elements = problem.elements();
    placement_moves moves(elements, ascending(random, n, k));
    for (int i = 0; i < 20; ++i) {
      const std::size_t e = random.below(n);
      const auto [first, last] = moves.limits(e);
      REQUIRE(first <= last);
      const std::size_t to = first + random.below(last - first + 1);
      const auto change = moves.change(e, to);
      const auto before = moves.cut();
      moves.move(e, to);
      REQUIRE(moves.cut() == before + change);
      REQUIRE(moves.cut() == elements.cut(moves.device_of()));
      REQUIRE(moves.excess() == placement_moves(elements, moves.device_of()).excess());
    }
  }
}

TEST_CASE("a pass leaves what is not worse, and keeps to the order") {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    oracle::chance random(seed);
    const std::size_t n = 5 + random.below(40);
    const std::size_t k = 2 + random.below(4);
    const weighed problem(random, n, k, random.one_in(2));
    const communication_elements elements = problem.elements();
    placement_moves moves(elements, ascending(random, n, k));
    const std::pair before(moves.excess(), moves.cut());
    const bool improved = moves.improve({});
    const std::pair after(moves.excess(), moves.cut());
    REQUIRE((improved ? after < before : after == before));
    REQUIRE(after.second == elements.cut(moves.device_of()));
    for (const auto& edge : problem.graph.edges) {
      REQUIRE((!elements.ordered() || moves.device_of()[edge.from] <= moves.device_of()[edge.to]));
    }
    better += improved ? 1 : 0;
  }
  CHECK(better > 200);
}

TEST_CASE("an order is cut where least is handed over") {
  int cut = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    oracle::chance random(seed);
    const std::size_t n = 2 + random.below(9);
    const weighed problem(random, n, 3, random.one_in(2));
    const communication_elements elements = problem.elements();
    stagecut::detail::element_order order;
    for (std::uint32_t e = 0; e < n; ++e) order.push_back(e);
    const auto found = placement_cut(elements, order).run();
    auto least = placement_search::unlimited;
    for (std::size_t a = 0; a <= n; ++a) {
      for (std::size_t b = a; b <= n; ++b) {
        std::vector<std::uint32_t> device_of(n);
        for (std::size_t e = 0; e < n; ++e) device_of[e] = e < a ? 0 : e < b ? 1 : 2;
        const placement_moves each(elements, device_of);
        if (each.excess() == 0) least = std::min(least, each.cut());
      }
    }
    REQUIRE(found.empty() == (least == placement_search::unlimited));
    if (found.empty()) continue;
    REQUIRE(placement_moves(elements, found).excess() == 0);
    REQUIRE(elements.cut(found) == least);
    ++cut;
  }
  CHECK(cut > 100);
}

TEST_CASE("no placement is below the bound of connectivity") {
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    oracle::chance random(seed);
    const weighed problem(random, 4 + random.below(8), 2 + random.below(3), random.one_in(2));
    const communication_elements elements = problem.elements();
    placement_search search(elements, 1000000, {});
    const auto found = search.run({});
    if (!found) continue;
    REQUIRE(search.proved());
    const auto bound = placement_bound(elements).run({});
    REQUIRE(bound <= elements.cut(*found));
    REQUIRE(search.root_bound() <= elements.cut(*found));
    bounded += bound > 0 ? 1 : 0;
  }
  CHECK(bounded > 150);
}

TEST_CASE("of a ring and of a clique the bound of connectivity is known") {
  oracle::chance random(1);
  weighed problem(random, 0, 2, false);
  problem.request.at_most = false;
  const auto bound = [&](std::size_t n, std::size_t k, bool clique) {
    problem.graph = {};
    problem.graph.operators.resize(n);
    problem.weights = {std::vector<double>(n, 1), std::vector<double>(n, 1), {}};
    problem.request.devices = k;
    for (std::size_t v = 0; v < n; ++v) {
      for (std::size_t u = 0; u < v; ++u) {
        if (clique || v - u == 1 || v - u == n - 1) problem.graph.edges.push_back({u, v});
      }
    }
    problem.weights.edges.assign(problem.graph.edges.size(), 1);
    const communication_elements elements = problem.elements();
    return elements.communication(placement_bound(elements).run({}));
  };
  CHECK(bound(12, 2, false) == 2);
  CHECK(bound(12, 3, false) == 3);
  CHECK(bound(12, 2, true) == 11);
  CHECK(bound(4, 4, true) == 6);
}
