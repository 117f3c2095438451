// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/order_costs.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "../refusal.hpp"

using namespace stagecut;

namespace {

operator_graph random_graph(std::mt19937& random) {
  operator_graph result;
  const std::size_t n = 2 + random() % 8;
  result.operators.resize(n);
  for (graph_operator& each : result.operators) {
    each.forward = static_cast<double>(1 + random() % 9);
    each.sent_seconds = static_cast<double>(random() % 9);
    each.resident = static_cast<double>(random() % 5);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (random() % n < 2) result.edges.push_back({i, j});
    }
  }
  return result;
}

}  // namespace

TEST_CASE("the best cut of all orders is the best partition") {
  std::mt19937 random(5);
  int solved = 0;
  for (int round = 0; round < 60; ++round) {
    const operator_graph graph = random_graph(random);
    load_request request;
    request.devices = 2 + random() % 2;
    if (random() % 2 == 0) request.load.memory_limit = static_cast<double>(4 + random() % 12);
    const contraction parts(graph);
    const operator_costs costs(graph, parts, request.load, request.devices);
    std::vector<precedence::element> order(parts.below().order().begin(), parts.below().order().end());
    std::sort(order.begin(), order.end());
    operator_costs::ticks best = std::numeric_limits<operator_costs::ticks>::max();
    if (order.size() > 7) continue;
    do {  // operators are numbered along the edges: of each permutation that follows these, the best cut
      std::vector<std::size_t> place(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
      bool follows = true;
      for (const operator_edge& edge : graph.edges) follows = follows && place[edge.from] < place[edge.to];
      if (!follows) continue;
      const order_costs<operator_set> along(operator_set(costs), order, request.devices);
      const auto found = minimize_bottleneck(along, request.devices, order_constraint(along));
      if (found) best = std::min(best, found->value);
    } while (std::next_permutation(order.begin(), order.end()));
    const auto least = minimize_load(graph, request);
    REQUIRE(least.has_value() == (best != std::numeric_limits<operator_costs::ticks>::max()));
    if (!least) continue;
    ++solved;
    CHECK(costs.seconds(best) == doctest::Approx(least->value).epsilon(1e-12));
  }
  CHECK(solved > 20);
}

TEST_CASE("an interval costs what its set does, whichever was asked before") {
  std::mt19937 random(6);
  const operator_graph graph = random_graph(random);
  const contraction parts(graph);
  const operator_costs costs(graph, parts, {}, 3);
  const std::vector<precedence::element> order(parts.below().order().begin(), parts.below().order().end());
  const order_costs<operator_set> along(operator_set(costs), order, 3);
  for (int i = 0; i < 500; ++i) {
    const std::size_t first = random() % order.size();
    const std::size_t last = first + 1 + random() % (order.size() - first);
    operator_set set(costs);
    for (std::size_t at = first; at < last; ++at) set.add(order[at]);
    CHECK(along(0, first, last) == set.value({}));
  }
  CHECK(minimize_leximax(along, 2));
}

TEST_CASE("an order of other elements is refused") {
  const operator_graph graph{{{}, {}}, {}};
  const contraction parts(graph);
  const operator_costs costs(graph, parts, {}, 1);
  CHECK(refusal<argument_error>([&] { static_cast<void>(order_costs(operator_set(costs), {0}, 1)); }) ==
        "stagecut::order_costs: order.size() = 1, must be the number of elements, 2");
}
