// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/stage_figures.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "load_oracle.hpp"
#include "random_problems.hpp"

using stagecut::graph_stage;
using stagecut::message_overlap;
using stagecut::operator_graph;
using stagecut::stage_figures;

TEST_CASE("the figures of any stages are those of their definition, whether edges lead back or not") {
  for (std::uint64_t round = 0; round < 500; ++round) {
    oracle::chance random(round);
    oracle::load_case each = oracle::random_case(random, 9, 4);
    if (round >= 300) oracle::draw_tensors(random, each.graph);
    const std::size_t stages = each.request.devices + each.request.cpus;
    std::vector<std::size_t> stage_of;
    std::vector<oracle::operators> sets(stages);
    for (std::size_t v = 0; v < each.graph.operators.size(); ++v) {
      stage_of.push_back(random.below(stages));
      sets[stage_of[v]] |= 1U << v;
    }
    std::vector<std::uint8_t> kinds;
    for (std::size_t s = 0; s < stages; ++s) kinds.push_back(random.one_in(3) ? 1 : 0);
    const auto found = stage_figures(each.graph, stage_of, kinds, each.request.load);
    REQUIRE(found.size() == stages);
    CAPTURE(round);
    for (std::size_t s = 0; s < stages; ++s) {
      const graph_stage right = oracle::price(each.graph, each.request.load, sets[s], kinds[s] != 0, s, stages).figures;
      REQUIRE(found[s].on_cpu == right.on_cpu);
      REQUIRE(oracle::close(found[s].load, right.load));
      REQUIRE(oracle::close(found[s].forward, right.forward));
      REQUIRE(oracle::close(found[s].backward, right.backward));
      REQUIRE(oracle::close(found[s].communication, right.communication));
      REQUIRE(oracle::close(found[s].memory, right.memory));
    }
  }
}

TEST_CASE("a message is paid once by each stage that sends or receives it") {
  // 0 feeds 1, 2 and 3: 1 on its stage, 2 and 3 on another one.
  operator_graph graph;
  graph.operators.resize(4);
  for (auto& each : graph.operators) each.forward = 1, each.backward = 2;
  graph.operators[0].sent_seconds = 3;
  graph.operators[0].sent_back_seconds = 0.5;
  graph.latency = 0.25;
  graph.edges = {{0, 1}, {0, 2}, {0, 3}};
  const std::vector<std::size_t> stage_of{0, 0, 1, 1};
  auto found = stage_figures(graph, stage_of, {0, 0});
  for (const graph_stage& stage : found) {
    CHECK(stage.forward == 2);
    CHECK(stage.backward == 4);
    CHECK(stage.communication == 4);
    CHECK(stage.load == 10);
  }
  found = stage_figures(graph, stage_of, {0, 0}, {.overlap = message_overlap::full, .constants = {1, 2}});
  CHECK(found[0].load == 3.25 + 4 + 1);
  CHECK(found[1].load == 3.25 + 4 + 2);
  // A CPU takes its own time and pays for no message.
  found = stage_figures(graph, stage_of, {1, 0}, {.speeds = {2, 2}});
  CHECK(found[0].load == 0);
  CHECK(found[0].communication == 0);
  CHECK(found[1].load == 7);
}

TEST_CASE("activations are kept of the microbatches behind, and shared parameters once") {
  operator_graph graph;
  graph.operators.resize(3);
  for (auto& each : graph.operators) each.resident = 10, each.activations = 1;
  graph.shared = {{100, {0, 1, 2}}};
  const std::vector<std::size_t> stage_of{0, 1, 1};
  auto found = stage_figures(graph, stage_of, {0, 0});
  CHECK(found[0].memory == 111);
  CHECK(found[1].memory == 122);
  found = stage_figures(graph, stage_of, {0, 0}, {.in_flight = true});
  CHECK(found[0].memory == 112);
  CHECK(found[1].memory == 122);
  found = stage_figures(graph, stage_of, {0, 0}, {.in_flight = true, .microbatches = 1});
  CHECK(found[0].memory == 111);
}
