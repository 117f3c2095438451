// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/linear_starts.hpp>

#include <doctest/doctest.h>

#include "plain_pipeline.hpp"

#include <algorithm>
#include <set>
#include <vector>

using stagecut::detail::linear_starts;
using next = stagecut::detail::linear_starts::next;
using list = std::vector<std::size_t>;

TEST_CASE("orders of two branches") {
  stagecut::operator_graph graph;
  graph.operators.resize(5);
  graph.edges = {{0, 2}, {2, 4}, {1, 3}, {3, 4}};
  const stagecut::contraction elements(graph, stagecut::backward_edges::lead);
  const linear_starts starts(graph, elements, list(5, 0), list(5, 1));
  stagecut::detail::random_bits random(1);
  CHECK(starts.order(next::as_listed, random) == list{0, 1, 2, 3, 4});
  CHECK(starts.order(next::newest, random) == list{0, 2, 1, 3, 4});
  CHECK(starts.order(next::oldest, random) == list{0, 1, 2, 3, 4});
}

TEST_CASE("every order follows the edges, and every cut is an assignment whose stages have something") {
  random_graphs random(12);
  stagecut::detail::random_bits seeds(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 3 + random.up_to(20);
    const auto graph = random.next(n, {.groups = round % 2 == 0, .backward = round % 3 == 0});
    const stagecut::contraction elements(graph, stagecut::backward_edges::lead);
    const std::size_t k = 1 + random.up_to(std::min<std::size_t>(elements.elements(), 5) - 1);
    const linear_starts starts(graph, elements, list(elements.elements(), 0), list(elements.elements(), k - 1));
    for (const next which : {next::as_listed, next::newest, next::oldest, next::any}) {
      const list order = starts.order(which, seeds);
      CHECK(order.size() == elements.elements());
      CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == elements.elements());
      for (const double ratio : {0.7, 1.0, 1.3}) {
        const list stage_of = starts.cut(order, k, ratio);
        CHECK(is_allowed(graph, stage_of));
        CHECK(std::set<std::size_t>(stage_of.begin(), stage_of.end()).size() == k);
      }
    }
  }
}

TEST_CASE("elements stand where they may") {
  stagecut::operator_graph graph;
  graph.operators.resize(4, {.forward = 1});
  const stagecut::contraction elements(graph, stagecut::backward_edges::lead);
  const linear_starts starts(graph, elements, {0, 2, 0, 0}, {2, 2, 0, 2});
  CHECK(starts.cut({0, 1, 2, 3}, 2, 1) == list{0, 2, 0, 1});
}
