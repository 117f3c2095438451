// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/describe_graph_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using stagecut::operator_graph;
using stagecut::plan;
using stagecut::plan_request;
using stagecut::planned_edge;
using stagecut::planned_stage;
using stagecut::profile;
using stagecut::schedule_kind;
using stagecut::detail::described_graph_plan;
using stagecut::detail::graph_in_flight;
using stagecut::detail::planned_graph;
using stagecut::detail::stage_edges_of;

namespace {

using list = std::vector<std::size_t>;

/// 0 feeds 1, 2 and 3, and 1 and 2 feed 3: layer i puts out 2^i bytes.
profile diamond() {
  profile result;
  result.layers.resize(4);
  for (std::size_t i = 0; i < 4; ++i) {
    stagecut::layer& each = result.layers[i];
    each.forward = static_cast<double>(i + 1);
    each.backward = 2 * each.forward;
    each.activations = static_cast<double>(10 * i);
    each.workspace = static_cast<double>(100 - i);
    each.output = static_cast<double>(std::size_t{1} << i);
  }
  result.edges = {{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
  return result;
}

plan described(const profile& model, const plan_request& request, const list& stage_of, std::size_t stages) {
  return described_graph_plan(model, request, planned_graph(model, request), stage_of,
                              std::vector<stagecut::graph_stage>(stages));
}

}  // namespace

TEST_CASE("an output goes once to each later stage that takes it") {
  const operator_graph graph = planned_graph(diamond(), {});
  using edges = std::vector<planned_edge>;
  CHECK(stage_edges_of(graph, {0, 1, 1, 2}, 3) == edges{{0, 1, 1}, {0, 2, 1}, {1, 2, 6}});
  CHECK(stage_edges_of(graph, {0, 0, 1, 1}, 2) == edges{{0, 1, 3}});
  CHECK(stage_edges_of(graph, {0, 0, 0, 0}, 1).empty());
  operator_graph back = graph;
  back.operators[0].is_backward = true;
  CHECK(stage_edges_of(back, {0, 1, 1, 2}, 3) == edges{{1, 2, 6}});
  // Without an edge the stages would be a chain.
  operator_graph apart = graph;
  apart.edges.clear();
  CHECK(stage_edges_of(apart, {0, 1, 1, 2}, 3) == edges{{0, 1, 0}});
}

TEST_CASE("microbatches in flight are those of the schedule") {
  plan_request request;
  const auto counts = [&] {
    return list{graph_in_flight(request, 0, 3), graph_in_flight(request, 1, 3), graph_in_flight(request, 2, 3)};
  };
  CHECK(counts() == list{3, 2, 1});
  request.microbatches = 2;
  CHECK(counts() == list{2, 2, 1});
  request.microbatches = 8;
  CHECK(counts() == list{3, 2, 1});
  request.schedule = schedule_kind::gpipe;
  CHECK(counts() == list{8, 8, 8});
}

TEST_CASE("memory is summed, and of workspaces the largest; what stages share is on each") {
  profile model = diamond();
  model.layers[1].tied = {{"table", 64}};
  model.layers[2].tied = {{"table", 64}};
  model.layers[3].tied = {{"table", 64}};
  plan_request request;
  request.memory_accounting.boundary_buffers = 3;
  const operator_graph graph = planned_graph(model, request);
  REQUIRE(graph.shared.size() == 1);
  const double table = graph.shared[0].resident;
  CHECK(table > 0);
  const plan made = described(model, request, {0, 1, 1, 2}, 3);
  REQUIRE(made.stages.size() == 3);
  const std::vector<planned_stage>& stages = made.stages;
  for (std::size_t s = 0; s < 3; ++s) CHECK(stages[s].device == s);
  CHECK(stages[0].memory.resident == graph.operators[0].resident);
  CHECK(stages[1].memory.resident == graph.operators[1].resident + graph.operators[2].resident + table);
  CHECK(stages[2].memory.resident == graph.operators[3].resident + table);
  CHECK(stages[1].memory.activations == 30);
  CHECK(stages[1].memory.workspace == 99);
  // Of each output a buffer where it is made, and one on each stage that takes it.
  CHECK(stages[0].memory.buffers == 3 * 1);
  CHECK(stages[1].memory.buffers == 3 * (1 + 2 + 4));
  CHECK(stages[2].memory.buffers == 3 * (1 + 2 + 4));
  model.machine.buffers = false;
  for (const planned_stage& stage : described(model, request, {0, 1, 1, 2}, 3).stages) CHECK(stage.memory.buffers == 0);
}

TEST_CASE("the gradient of the parameters is known where it is of all layers of a stage") {
  profile model = diamond();
  for (const std::size_t i : {0U, 1U, 3U}) {
    model.layers[i].backward_input = model.layers[i].forward;
    model.layers[i].backward_weight = model.layers[i].forward;
  }
  plan_request request;
  request.speeds = {4, 1};
  const plan made = described(model, request, {0, 0, 1, 1}, 2);
  CHECK(made.stages[0].backward_weight == 0.75);
  CHECK_FALSE(made.stages[1].backward_weight.has_value());
  request.speeds.clear();
  CHECK(described(model, request, {0, 0, 1, 1}, 2).stages[0].backward_weight == 3);
}

TEST_CASE("what stages cost is as it was found, and CPUs are told") {
  const profile model = diamond();
  const std::vector<stagecut::graph_stage> found{{.load = 9, .forward = 3, .backward = 6},
                                                 {.on_cpu = true, .load = 8, .forward = 7}};
  plan_request request;
  request.cpus = 1;
  request.microbatches = 5;
  const plan made = described_graph_plan(model, request, planned_graph(model, request), {0, 0, 1, 1}, found);
  REQUIRE(made.stages.size() == 2);
  CHECK(made.devices == 2);
  CHECK(made.stages[0].cost == 9);
  CHECK(made.stages[0].forward == 3);
  CHECK(made.stages[0].backward == 6);
  CHECK_FALSE(made.stages[0].on_cpu);
  CHECK(made.stages[1].cost == 8);
  CHECK(made.stages[1].on_cpu);
}
