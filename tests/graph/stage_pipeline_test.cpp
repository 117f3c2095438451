// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/stage_pipeline.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "plain_pipeline.hpp"

#include <algorithm>
#include <limits>
#include <vector>

using stagecut::argument_error;
using stagecut::invalid_input;
using stagecut::make_stage_pipeline;
using stagecut::operator_graph;

namespace {

using assignment = std::vector<std::size_t>;

/// A diamond with its backward pass as operators: 0 -> 1, 2 -> 3, and 7 -> 6, 5 -> 4 back, 3 -> 7 between the passes.
operator_graph diamond() {
  operator_graph graph;
  graph.operators.resize(8);
  for (std::size_t v = 0; v < 8; ++v) {
    auto& each = graph.operators[v];
    each.is_backward = v >= 4;
    (v < 4 ? each.forward : each.backward) = static_cast<double>(v + 1);
    each.sent_seconds = static_cast<double>(10 * (v + 1));
    each.activations = 1;
  }
  graph.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 7}, {7, 6}, {7, 5}, {6, 4}, {5, 4}, {0, 4}};
  graph.latency = 1;
  return graph;
}

}  // namespace

TEST_CASE("what several operators of a stage take is sent once, and gradients have operators of their own") {
  const auto found = make_stage_pipeline(diamond(), assignment{0, 1, 1, 1, 0, 1, 1, 1}, 2);
  CHECK(found.forward == std::vector<double>{1, 9});
  CHECK(found.backward == std::vector<double>{5, 21});
  CHECK(found.activations == std::vector<double>{2, 6});
  CHECK(found.edges == std::vector<stagecut::stage_edge>{{0, 1}});
  CHECK(found.send_forward == std::vector<double>{11});    // 0, once
  CHECK(found.send_backward == std::vector<double>{131});  // 5 and 6
}

TEST_CASE("what the backward pass takes of the forward pass is sent either way") {
  const auto up = make_stage_pipeline(diamond(), assignment{0, 0, 0, 0, 1, 1, 1, 1}, 2);
  CHECK(up.send_forward == std::vector<double>{1 + 10 + 40});
  CHECK(up.send_backward == std::vector<double>{1});
  const auto down = make_stage_pipeline(diamond(), assignment{1, 1, 1, 1, 0, 0, 0, 0}, 2);
  CHECK(down.send_forward == std::vector<double>{1});
  CHECK(down.send_backward == std::vector<double>{1 + 10 + 40});
}

TEST_CASE("sums over sets of operators say the same") {
  random_graphs random(1);
  for (int round = 0; round < 700; ++round) {
    const std::size_t n = 1 + random.up_to(9);
    const std::size_t k = 1 + random.up_to(4);
    operator_graph graph =
        random.next(n, {.groups = false, .backward = round % 2 == 1, .shared = round % 3 == 0, .fixed = false});
    graph.edges.insert(graph.edges.end(), graph.edges.begin(), graph.edges.begin() + graph.edges.size() / 2);
    if (round >= 400) random.add_tensors(graph);
    assignment stage_of(n);
    do {
      for (std::size_t& stage : stage_of) stage = random.up_to(k - 1);
      if (random.up_to(2) != 0) std::sort(stage_of.begin(), stage_of.end());
      if (random.up_to(5) == 0) stage_of.assign(n, k - 1);
    } while (!is_allowed(graph, stage_of));
    CHECK(make_stage_pipeline(graph, stage_of, k) == pipeline_plainly(graph, stage_of, k));
  }
}

TEST_CASE("assignments that no pipeline runs are refused with the operator") {
  const operator_graph graph = diamond();
  const auto refused = [&](const assignment& stage_of) {
    return refusal<argument_error>([&] { return make_stage_pipeline(graph, stage_of, 2); });
  };
  CHECK(refused({0, 0, 0}) == "stagecut::make_stage_pipeline: stage_of.size() = 3, must be the number of operators, 8");
  CHECK(refused({0, 0, 0, 2, 0, 0, 0, 0}) ==
        "stagecut::make_stage_pipeline: stage_of[3] = 2, must be below the number of stages, 2");
  CHECK(refused({0, 1, 0, 0, 0, 0, 0, 0}) ==
        "stagecut::make_stage_pipeline: stage_of[3] = 0, must not be below that of operator 1, 1, which leads to it");
  CHECK(refused({0, 0, 0, 0, 0, 1, 0, 0}) ==
        "stagecut::make_stage_pipeline: stage_of[5] = 1, must not be above that of operator 7, 0, which leads to it");
}

TEST_CASE("graphs that are none are refused with the place") {
  const assignment all(8, 0);
  const auto refused = [&](const operator_graph& graph) {
    return refusal<invalid_input>([&] { return make_stage_pipeline(graph, all, 1); });
  };
  operator_graph graph = diamond();
  graph.operators[3].sent_seconds = -1;
  CHECK(refused(graph) == "operator 3: has a number that is negative or not finite");
  graph = diamond();
  graph.operators[2].backward = std::numeric_limits<double>::infinity();
  CHECK(refused(graph) == "operator 2: has a number that is negative or not finite");
  graph = diamond();
  graph.latency = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused(graph) == "latency: is negative or not finite");
  graph = diamond();
  graph.shared = {{1, {9}}};
  CHECK(refused(graph) == "shared parameters 0: name operator 9, which is none");
  graph.shared = {{-1, {0}}};
  CHECK(refused(graph) == "shared parameters 0: have bytes that are negative or not finite");
  graph = diamond();
  graph.edges.push_back({8, 0});
  CHECK(refused(graph) == "edge 10: there is no operator 8");
  graph.edges.back() = {0, 1, stagecut::edge_tensor{1, -1, 0}};
  CHECK(refused(graph) == "edge 10: has a number that is negative or not finite");
  graph.edges.back() = {4, 0};
  CHECK(refused(graph) == "edge 10: leads from the backward to the forward pass");
}
