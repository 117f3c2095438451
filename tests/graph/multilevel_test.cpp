// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/multilevel.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../refusal.hpp"
#include "random_dags.hpp"

using stagecut::dag_objective;
using stagecut::dag_partition;
using stagecut::multilevel;
using stagecut::multilevel_request;
using stagecut::weighted_dag;
using stagecut::weighted_edge;

namespace {

/// Whether what is told of parts is what a plain loop says.
void check_figures(const oracle::dag_case& graph, const dag_partition& found, std::size_t parts) {
  const oracle::dag_figures plain = oracle::figures_of(graph, found.assignment, parts);
  REQUIRE(plain.forwards);
  REQUIRE_EQ(found.cut, plain.cut);
  REQUIRE_EQ(found.weights, plain.weights);
  REQUIRE_EQ(found.loads, plain.loads);
}

/// What a part may weigh with an imbalance in hundredths.
std::int64_t most_weight(const oracle::dag_case& graph, std::size_t parts, std::int64_t hundredths) {
  std::int64_t total = 0;
  for (const std::int64_t weight : graph.weights) total += weight;
  const auto k = static_cast<std::int64_t>(parts);
  return std::min(total, std::max((total + k - 1) / k, total * (100 + hundredths) / (100 * k)));
}

/// A product of matrices, and that with a third: one operation for each vertex.
oracle::dag_case two_products(std::size_t rows, std::size_t columns, std::size_t inner, std::size_t last) {
  oracle::dag_case result;
  const auto add = [&](std::vector<std::uint32_t> from) {
    const auto v = static_cast<std::uint32_t>(result.weights.size());
    result.weights.push_back(1);
    result.outputs.push_back(1);
    for (const std::uint32_t each : from) result.edges.push_back({each, v, 1});
    return v;
  };
  const auto matrix = [&](std::size_t count) {
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(add({}));
    return all;
  };
  const auto a = matrix(rows * inner);
  const auto b = matrix(inner * columns);
  const auto c = matrix(columns * last);
  std::vector<std::uint32_t> product;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      std::uint32_t sum = 0;
      for (std::size_t x = 0; x < inner; ++x) {
        const std::uint32_t each = add({a[i * inner + x], b[x * columns + j]});
        sum = x == 0 ? each : add({sum, each});
      }
      product.push_back(sum);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t l = 0; l < last; ++l) {
      std::uint32_t sum = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        const std::uint32_t each = add({product[i * columns + j], c[j * last + l]});
        sum = j == 0 ? each : add({sum, each});
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("cuts of small graphs: figures, bounds and proofs against all partitions") {
  oracle::chance random(25);
  std::size_t found_best = 0;
  std::size_t solvable = 0;
  for (int round = 0; round < 3000 * oracle::times_as_many(); ++round) {
    const std::size_t parts = 2 + random.below(2);
    const oracle::dag_case graph =
        oracle::random_dag(random, parts + random.below(parts == 2 ? 7 : 4), 1 + random.below(5));
    multilevel_request request{.parts = parts, .imbalance = 0};
    request.search.seed = random.below(100);
    const auto quarters = static_cast<std::int64_t>(random.below(4));
    request.imbalance = 0.25 * static_cast<double>(quarters);
    const std::int64_t most = most_weight(graph, parts, 25 * quarters);
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    oracle::each_assignment(graph.weights.size(), parts, [&](const std::vector<std::size_t>& part) {
      const oracle::dag_figures each = oracle::figures_of(graph, part, parts);
      if (each.forwards && *std::max_element(each.weights.begin(), each.weights.end()) <= most)
        best = std::min(best, each.cut);
    });
    const bool any = best != std::numeric_limits<std::int64_t>::max();
    const auto found = multilevel(graph.dag(), request);
    if (found.state() == stagecut::state::infeasible) REQUIRE_FALSE(any);
    solvable += any ? std::size_t{1} : 0;
    if (!found) continue;
    check_figures(graph, *found, parts);
    REQUIRE_LE(*std::max_element(found->weights.begin(), found->weights.end()), most);
    REQUIRE_GE(found->value, best);
    REQUIRE_LE(found->bound, best);
    if (found.state() == stagecut::state::optimal) REQUIRE_EQ(found->value, best);
    found_best += found->value == best ? std::size_t{1} : 0;
  }
  CHECK_GT(10 * found_best, 9 * solvable);
}

TEST_CASE("loads of small graphs: figures, bounds and proofs against all partitions") {
  oracle::chance random(26);
  std::size_t found_best = 0;
  std::size_t count = 0;
  for (int round = 0; round < 2000 * oracle::times_as_many(); ++round) {
    const std::size_t parts = 2 + random.below(2);
    const oracle::dag_case graph =
        oracle::random_dag(random, parts + random.below(parts == 2 ? 7 : 4), 1 + random.below(5));
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    oracle::each_assignment(graph.weights.size(), parts, [&](const std::vector<std::size_t>& part) {
      for (std::size_t p = 0; p < parts; ++p) {
        if (std::find(part.begin(), part.end(), p) == part.end()) return;
      }
      const oracle::dag_figures each = oracle::figures_of(graph, part, parts);
      if (each.forwards) best = std::min(best, *std::max_element(each.loads.begin(), each.loads.end()));
    });
    const auto found = multilevel(graph.dag(), {.parts = parts, .objective = dag_objective::load});
    REQUIRE(found.has_value());
    check_figures(graph, *found, parts);
    for (std::size_t p = 0; p < parts; ++p)
      REQUIRE_EQ(std::count(found->assignment.begin(), found->assignment.end(), p) > 0, true);
    REQUIRE_GE(found->load(), best);
    REQUIRE_LE(found->bound, best);
    if (found.state() == stagecut::state::optimal) REQUIRE_EQ(found->load(), best);
    found_best += found->load() == best ? std::size_t{1} : 0;
    ++count;
  }
  CHECK_GT(10 * found_best, 8 * count);
}

TEST_CASE("a product of three matrices is cut along the order of its sums") {
  const oracle::dag_case graph = two_products(6, 10, 12, 16);
  const weighted_dag dag = graph.dag();
  const std::size_t most[] = {200, 360, 830, 1420};
  std::size_t which = 0;
  for (const std::size_t parts : {2U, 4U, 8U, 16U}) {
    const auto found = multilevel(dag, {.parts = parts});
    REQUIRE(found.has_value());
    check_figures(graph, *found, parts);
    CHECK_LE(*std::max_element(found->weights.begin(), found->weights.end()), most_weight(graph, parts, 3));
    INFO(parts << " " << found->value);
    CHECK_LE(static_cast<std::size_t>(found->value), most[which++]);
  }
  const auto load = multilevel(dag, {.parts = 8, .objective = dag_objective::load});
  REQUIRE(load.has_value());
  check_figures(graph, *load, 8);
  INFO(load->load());
  CHECK_LE(10 * load->load(), 14 * load->bound);
}

TEST_CASE("the same request has the same answer, and more trials none that is worse") {
  oracle::chance random(3);
  for (int round = 0; round < 4; ++round) {
    const oracle::dag_case graph = oracle::random_dag(random, 150, 15);
    for (const dag_objective objective : {dag_objective::cut, dag_objective::load}) {
      multilevel_request request{.parts = 2 + random.below(5), .objective = objective};
      request.search.seed = random.below(9);
      const auto once = multilevel(graph.dag(), request);
      REQUIRE(once.has_value());
      CHECK_EQ(multilevel(graph.dag(), request)->assignment, once->assignment);
      request.trials = 3;
      const auto more = multilevel(graph.dag(), request);
      if (objective == dag_objective::cut) CHECK_LE(more->value, once->value);
      if (objective == dag_objective::load) CHECK_LE(more->load(), once->load());
    }
  }
}

TEST_CASE("more than 200,000 vertices are merged first") {
  constexpr std::uint32_t width = 100;
  oracle::dag_case graph;
  graph.weights.assign(200100, 1);
  for (std::uint32_t v = width; v < graph.weights.size(); ++v) {
    graph.edges.push_back({v - width, v, 1});
    if (v % 7 == 0) graph.edges.push_back({v - width - (v % width == 0 ? 0 : 1), v, 1});
  }
  const auto found = multilevel(weighted_dag(graph.weights, graph.edges), {.parts = 4});
  REQUIRE(found.has_value());
  CHECK_LE(found->value, 400);
  CHECK_LE(*std::max_element(found->weights.begin(), found->weights.end()), most_weight(graph, 4, 3));
}

TEST_CASE("limits of huge weights are exact where the imbalance is") {
  const std::int64_t huge = std::int64_t{1} << 58U;
  const std::vector<std::int64_t> weights{huge + 1, huge, huge - 1, huge, huge};
  const std::vector<weighted_edge> edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  CHECK_EQ(multilevel(weighted_dag(weights, edges), {.parts = 5, .imbalance = 0}).why().text(),
           "no cut keeps to the constraint: vertex 0 weighs 288230376151711745, and one of 5 parts may weigh "
           "288230376151711744");
  CHECK_EQ(multilevel(weighted_dag(weights, edges), {.parts = 2, .imbalance = 1})->value, 0);
  CHECK(multilevel(weighted_dag(weights, edges), {.parts = 4, .imbalance = 1e9}).has_value());
}

TEST_CASE("what ends a search leaves the first answer") {
  oracle::chance random(5);
  const oracle::dag_case graph = oracle::random_dag(random, 200, 15);
  multilevel_request request{.parts = 4, .trials = 1000000};
  request.search.time_limit = 0;
  CHECK(multilevel(graph.dag(), request).has_value());
  request.objective = dag_objective::load;
  CHECK(multilevel(graph.dag(), request).has_value());
  request.search.time_limit.reset();
  std::size_t asked = 0;
  const auto stop = [&] { return ++asked > 3; };
  request.search.stop = stop;
  CHECK(multilevel(graph.dag(), request).has_value());
}

TEST_CASE("what cannot be is explained") {
  const std::vector<std::int64_t> weights{1, 9, 1, 1};
  const std::vector<weighted_edge> edges{{0, 1}, {1, 2}, {2, 3}};
  const weighted_dag graph(weights, edges);
  CHECK_EQ(multilevel(graph, {.parts = 2}).why().text(),
           "no cut keeps to the constraint: vertex 1 weighs 9, and one of 2 parts may weigh 6");
  CHECK_EQ(multilevel(graph, {.parts = 5}).why().text(), "5 stages need at least 5 layers, and there are 4");
  CHECK_EQ(multilevel(graph, {.parts = 1})->value, 0);
  CHECK_EQ(multilevel(graph, {.parts = 4, .objective = dag_objective::load})->assignment,
           std::vector<std::size_t>{0, 1, 2, 3});
  CHECK_EQ(multilevel(graph, {.parts = 2, .imbalance = 1})->value, 0);
  CHECK_EQ(multilevel(graph, {.parts = 2, .imbalance = 0.5}).state(), stagecut::state::unknown);
  const auto refused = [&](multilevel_request request) { return refusal([&] { return multilevel(graph, request); }); };
  CHECK_EQ(refused({.parts = 0}), "stagecut::multilevel: parts = 0, must be at least 1");
  CHECK_EQ(refused({.trials = 0}), "stagecut::multilevel: trials = 0, must be at least 1");
  CHECK_EQ(refused({.imbalance = -0.5}),
           "stagecut::multilevel: imbalance = -0.500000, must be finite and not negative");
  multilevel_request backwards;
  backwards.search.time_limit = -1;
  CHECK_EQ(refused(backwards), "stagecut::multilevel: search.time_limit = -1.000000, must not be negative");
}
