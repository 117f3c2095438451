// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/graph_makespan_bound.hpp>

#include <doctest/doctest.h>

#include "plain_pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using stagecut::operator_graph;

namespace {

double bound(const operator_graph& graph, std::size_t k, std::size_t m) {
  return stagecut::detail::graph_makespan_bound(graph, stagecut::contraction(graph, stagecut::backward_edges::lead))
      .of(k, m);
}

operator_graph chain(std::vector<double> forward) {
  operator_graph graph;
  for (const double each : forward) graph.operators.push_back({.forward = each, .backward = 2 * each});
  for (std::size_t v = 0; v + 1 < forward.size(); ++v) graph.edges.push_back({v, v + 1});
  return graph;
}

}  // namespace

TEST_CASE("where the bound is met") {
  const auto close = [](double value) { return doctest::Approx(value).epsilon(1e-9); };
  CHECK(bound(chain({1, 2, 3}), 1, 5) == close(90));       // average
  CHECK(bound(chain({1, 2, 3}), 3, 1) == close(18));       // the path of one microbatch
  CHECK(bound(chain({1, 1, 10, 1}), 3, 8) == close(246));  // the heaviest, behind two
  operator_graph apart = chain({1, 1, 1, 1});
  apart.edges.clear();
  CHECK(bound(apart, 4, 6) == close(18));
}

TEST_CASE("of whole numbers the bound is one, and as many as it is exactly stay that") {
  operator_graph apart = chain({1, 1, 1, 1});
  apart.edges.clear();
  CHECK(bound(apart, 4, 6) == 18);
  CHECK(bound(apart, 5, 4) == 12);  // 9.6 on average, and one microbatch after the other of an operator
  CHECK(bound(chain({1, 2, 3}), 1, 5) == 90);
  operator_graph graph = chain({1, 1, 1, 1, 1});
  const double whole = bound(graph, 4, 5);
  CHECK(whole == std::floor(whole));
  for (double* const each : {&graph.latency, &graph.operators[2].sent_seconds, &graph.operators[2].sent_back_seconds}) {
    *each = 0.5;
    const double other = bound(graph, 4, 5);
    *each = 0;
    CHECK(other < whole);
    CHECK(std::ceil(other) == whole);
  }
}

TEST_CASE("no assignment and no counts are below the bound") {
  random_graphs random(13);
  double sum = 0;
  int met = 0;
  const int rounds = 150;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t n = 3 + random.up_to(3);
    const std::size_t k = 1 + random.up_to(3);
    const std::size_t m = 1 + random.up_to(k > 3 ? 2 : 3);
    const auto graph =
        random.next(n, {.groups = round % 3 == 0, .backward = round % 4 == 1, .messages = round % 2 == 0});
    const double best = best_plainly(graph, k, m, false, 1e300, true);
    const double found = bound(graph, k, m);
    REQUIRE(found <= best);
    sum += best / found - 1;
    met += found >= best * (1 - 1e-9) ? 1 : 0;
  }
  MESSAGE("met in " << met << " of " << rounds << ", below the least makespan by " << 100 * sum / rounds
                    << " % on average");
  CHECK(met > rounds / 10);
}
