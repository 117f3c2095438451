// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/moving_stages.hpp>

#include <stagecut/graph/stage_pipeline.hpp>

#include <doctest/doctest.h>

#include "plain_pipeline.hpp"

#include <vector>

using stagecut::detail::moving_stages;
using stagecut::detail::stage_simulator;

namespace {

/// What a simulator holds, as a pipeline.
stagecut::stage_pipeline held(const stage_simulator& by) {
  stagecut::stage_pipeline result;
  result.forward = by.forward;
  result.backward = by.backward;
  const std::size_t k = by.forward.size();
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t e = a == 0 ? 0 : by.returning_end[a - 1]; e < by.returning_end[a]; ++e) {
      const std::size_t b = by.returning[e].other;
      result.edges.push_back({a, b});
      result.send_backward.push_back(by.returning[e].time);
      for (std::size_t i = by.arriving_end[b - 1]; i < by.arriving_end[b]; ++i) {
        if (by.arriving[i].other == a) result.send_forward.push_back(by.arriving[i].time);
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("sums after any moves are those of the stages, in any order in which they may stand") {
  random_graphs random(10);
  int compared = 0;
  for (int round = 0; round < 250; ++round) {
    const std::size_t n = 2 + random.up_to(9);
    const std::size_t k = 1 + random.up_to(3);
    auto graph = random.next(n, {.groups = round % 3 == 0, .backward = round % 2 == 0, .shared = round % 5 == 0});
    graph.edges.push_back({0, 0});
    if (round >= 150) random.add_tensors(graph);
    const stagecut::contraction elements(graph, stagecut::backward_edges::lead);
    const stagecut::detail::operator_links links(graph);
    std::vector<std::size_t> now(n, 0);
    moving_stages stages(graph, links, elements, now, k);
    stage_simulator simulator(2, false);
    for (int step = 0; step < 40; ++step) {
      const std::size_t e = random.up_to(elements.elements() - 1);
      const std::size_t to = random.up_to(k - 1);
      stages.move(e, to);
      for (const std::size_t v : elements.operators_of(e)) now[v] = to;
      REQUIRE(std::vector<std::size_t>(stages.stage_of().begin(), stages.stage_of().end()) == now);
      // Stages may stand in an order if every edge that demands one leads on in it.
      std::vector<std::size_t> order(k);
      for (std::size_t s = 0; s < k; ++s) order[s] = s;
      if (step % 2 == 1) std::reverse(order.begin(), order.end());
      std::vector<std::size_t> place(k);
      for (std::size_t i = 0; i < k; ++i) place[order[i]] = i;
      std::vector<std::size_t> placed;
      for (const std::size_t each : now) placed.push_back(place[each]);
      bool may = true;
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < i; ++j) may = may && !stages.before(order[i], order[j]);
      }
      auto plain = graph;
      for (auto& each : plain.operators) each.group = stagecut::graph_operator::none;
      REQUIRE(may == is_allowed(plain, placed));
      if (!may) continue;
      ++compared;
      stages.load(simulator, order);
      auto expected = stagecut::make_stage_pipeline(graph, placed, k);
      for (std::size_t i = 0; i < k; ++i) {
        CHECK(stages.resident(order[i]) == expected.resident[i]);
        CHECK(stages.activations(order[i]) == expected.activations[i]);
      }
      expected.resident.clear();
      expected.activations.clear();
      REQUIRE(held(simulator) == expected);
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE("what is restored leaves no rounding behind") {
  stagecut::operator_graph graph;
  graph.operators.resize(3, {.forward = 0.1, .backward = 0.7, .sent_seconds = 0.3});
  graph.edges = {{0, 1}, {1, 2}};
  const stagecut::contraction elements(graph, stagecut::backward_edges::lead);
  const stagecut::detail::operator_links links(graph);
  moving_stages stages(graph, links, elements, std::vector<std::size_t>{0, 0, 1}, 2);
  moving_stages::sums before;
  moving_stages::sums after;
  stages.save(before);
  for (int i = 0; i < 100; ++i) {
    stages.move(1, 1);
    stages.move(1, 0);
    stages.restore(before);
  }
  stages.save(after);
  CHECK(after.forward == before.forward);
  CHECK(after.down == before.down);
  CHECK(stages.members(0) == 2);
  CHECK(stages.stage_of_element(1) == 0);
}
