// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/operator_costs.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "../refusal.hpp"

using stagecut::argument_error;
using stagecut::contraction;
using stagecut::invalid_input;
using stagecut::operator_costs;
using stagecut::operator_graph;

namespace {

/// 0 feeds 1 and 2, 1 feeds 2, and 3 stands alone.
operator_graph small_graph() {
  operator_graph graph;
  graph.operators.resize(4);
  for (std::size_t v = 0; v < 4; ++v) {
    graph.operators[v].forward = static_cast<double>(v + 1);
    graph.operators[v].sent_seconds = 0.25 * static_cast<double>(v + 1);
    graph.operators[v].resident = static_cast<double>(10 * v);
  }
  graph.edges = {{0, 1}, {0, 2}, {1, 2}, {0, 2}};
  graph.latency = 0.125;
  return graph;
}

}  // namespace

TEST_CASE("each producer is one net, with the elements of what takes its output") {
  operator_graph graph = small_graph();
  graph.operators[1].sent_back_seconds = 2;
  const contraction parts(graph);
  const operator_costs costs(graph, parts, {}, 2);
  REQUIRE(costs.size() == 4);
  REQUIRE(costs.nets() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool of_first = costs.pins(i).size() == 3;
    CHECK(costs.seconds(costs.weight_of(i).forward) == (of_first ? 0.375 : 0.625));
    CHECK(costs.seconds(costs.weight_of(i).backward) == (of_first ? 0 : 2.125));
    CHECK(costs.pins(i)[0] == (of_first ? 0 : 1));
  }
  CHECK(costs.nets_of(0).size() == 1);
  CHECK(costs.nets_of(1).size() == 2);
  CHECK(costs.nets_of(3).empty());
  CHECK(costs.seconds(costs.of(2).forward) == 3);
  CHECK(costs.bytes_of(costs.of(2).resident) == 20);
}

TEST_CASE("within an element nothing is sent, and its operators are summed") {
  operator_graph graph = small_graph();
  graph.operators[0].group = graph.operators[2].group = 1;
  graph.operators[2].on_cpu = true;
  const contraction parts(graph);  // 1 lies between them
  REQUIRE(parts.elements() == 2);
  const operator_costs costs(graph, parts, {}, 2);
  CHECK(costs.nets() == 0);
  CHECK(costs.seconds(costs.of(0).forward) == 6);
  CHECK_FALSE(costs.of(0).on_cpu);
  CHECK(costs.of(0).on_accelerator);
}

TEST_CASE("shared parameters know who needs them") {
  operator_graph graph = small_graph();
  graph.shared = {{64, {3, 0, 3}}, {32, {0}}};
  const contraction parts(graph);
  const operator_costs costs(graph, parts, {}, 2);
  REQUIRE(costs.shared() == 2);
  CHECK(costs.bytes_of(costs.shared_bytes(0)) == 64);
  CHECK(costs.shared_by(0).size() == 2);
  CHECK(costs.shared_by(1).empty());
  REQUIRE(costs.shared_by(3).size() == 1);
  CHECK(costs.shared_by(3)[0] == 0);
}

TEST_CASE("all contractions of a graph have the same ticks") {
  operator_graph graph = small_graph();
  graph.operators[0].sent_seconds = 1000;  // nearly all of the time
  const contraction parts(graph);
  const contraction merged = parts.merged(graph, {0, 0, 0, 3});
  const operator_costs before(graph, parts, {}, 2);
  const operator_costs after(graph, merged, {}, 2);
  CHECK(after.nets() == 0);
  CHECK(before.seconds(1) == after.seconds(1));
  CHECK(before.bytes_of(1) == after.bytes_of(1));
  operator_costs::ticks sent = 0;
  for (std::size_t i = 0; i < before.nets(); ++i) sent += before.weight_of(i).forward;
  CHECK(before.seconds(sent) == 1000.75);
  CHECK(sent < operator_costs::ticks{1} << 61);
}

TEST_CASE("figures far apart are whole ticks, and sums of all of them stay in range") {
  operator_graph graph = small_graph();
  graph.operators[0].forward = 0x1p400;
  graph.operators[1].forward = 0x1p-300;
  graph.operators[2].forward = 0x1p399;
  const contraction parts(graph);
  const operator_costs costs(graph, parts, {.speeds = {0.25, 4}}, 2);
  operator_costs::ticks sum = 0;
  for (std::size_t e = 0; e < costs.size(); ++e) sum += costs.at_speed(costs.of(e).forward, 0);
  CHECK(sum > 0);
  CHECK(sum < operator_costs::ticks{1} << 61);
  CHECK(costs.seconds(costs.of(0).forward) == 0x1p400);
  CHECK(costs.of(1).forward == 0);
  CHECK(costs.at_speed(costs.of(0).forward, 1) == costs.of(0).forward / 4);
  CHECK(costs.at_best(costs.of(0).forward) == costs.of(0).forward / 4);
}

TEST_CASE("a stage keeps the activations of as many microbatches as come behind it") {
  const operator_graph graph = small_graph();
  const contraction parts(graph);
  const operator_costs one(graph, parts, {}, 4);
  const operator_costs all(graph, parts, {.in_flight = true}, 4);
  const operator_costs two(graph, parts, {.in_flight = true, .microbatches = 2}, 4);
  for (std::size_t s = 0; s < 4; ++s) {
    CHECK(one.in_flight(s, 4) == 1);
    CHECK(all.in_flight(s, 4) == 4 - static_cast<int>(s));
    CHECK(two.in_flight(s, 4) == (s < 3 ? 2 : 1));
  }
}

TEST_CASE("constants are of all stages or of each") {
  const operator_graph graph = small_graph();
  const contraction parts(graph);
  const operator_costs none(graph, parts, {}, 3);
  const operator_costs same(graph, parts, {.constants = {2}}, 3);
  const operator_costs each(graph, parts, {.constants = {1, 2, 3}}, 3);
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(none.constant(s) == 0);
    CHECK(same.seconds(same.constant(s)) == 2);
    CHECK(each.seconds(each.constant(s)) == static_cast<double>(s + 1));
  }
}

TEST_CASE("figures that are none, and sums out of range, are refused") {
  const auto of = [](const operator_graph& graph) {
    return refusal<invalid_input>([&] {
      const contraction parts(graph);
      return operator_costs(graph, parts, {}, 2);
    });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  operator_graph graph = small_graph();
  graph.operators[3].forward = nan;
  CHECK(of(graph) == "operator 3: forward = nan, must be finite and not negative");
  graph = small_graph();
  graph.operators[1].cpu = -0.5;
  CHECK(of(graph) == "operator 1: cpu = -0.500000, must be finite and not negative");
  graph = small_graph();
  graph.operators[0].resident = std::numeric_limits<double>::infinity();
  CHECK(of(graph) == "operator 0: resident = inf, must be finite and not negative");
  graph = small_graph();
  graph.latency = -1;
  CHECK(of(graph) == "latency: -1.000000, must be finite and not negative");
  graph = small_graph();
  graph.shared = {{1, {0}}, {nan, {1}}};
  CHECK(of(graph) == "shared 1: resident = nan, must be finite and not negative");
  graph = small_graph();
  for (auto& each : graph.operators) each.forward = std::numeric_limits<double>::max();
  CHECK(of(graph) == "operators: the sum of their figures is out of range");
  graph = small_graph();
  const contraction parts(graph);
  CHECK(refusal<argument_error>([&] {
          return operator_costs(graph, parts, {.constants = {1, 2}}, 3);
        }) == "stagecut::operator_costs: constants.size() = 2, must be 0, 1 or the number of stages");
}

TEST_CASE("whether the number of a stage matters") {
  operator_graph graph = small_graph();
  const auto matters = [&](const stagecut::load_options& options) {
    return operator_costs(graph, contraction(graph), options, 2).by_position();
  };
  CHECK_FALSE(matters({}));
  CHECK_FALSE(matters({.constants = {3}}));
  CHECK(matters({.constants = {3, 3}}));
  CHECK(matters({.speeds = {1, 2}}));
  CHECK_FALSE(matters({.memory_limit = 100, .in_flight = true}));
  graph.operators[2].activations = 1;
  CHECK(matters({.memory_limit = 100, .in_flight = true}));
  CHECK_FALSE(matters({.memory_limit = 100}));
  CHECK_FALSE(matters({.in_flight = true}));
  graph.operators[3].stage = 0;
  CHECK(matters({}));
}

TEST_CASE("what all times are multiples of, unless stages differ in speed") {
  operator_graph graph = small_graph();
  for (auto& each : graph.operators) each.sent_seconds = 0;
  graph.edges.clear();
  graph.latency = 0;
  for (std::size_t v = 0; v < 4; ++v) graph.operators[v].forward = 3 * static_cast<double>(v);
  const contraction parts(graph);
  CHECK(operator_costs(graph, parts, {}, 2).seconds(operator_costs(graph, parts, {}, 2).unit()) == 3);
  const operator_costs at_speeds(graph, parts, {.speeds = {1, 2}}, 2);
  CHECK(at_speeds.unit() == 1);
  graph.operators[0].backward = 1.0 / 3;  // no whole number of any tick
  CHECK(operator_costs(graph, contraction(graph), {}, 2).unit() < 10);
}
