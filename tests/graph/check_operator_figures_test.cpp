// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/check_operator_figures.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "../refusal.hpp"

using stagecut::graph_operator;
using stagecut::operator_graph;
using stagecut::detail::tick_scale_of;

namespace {

std::string refused(const operator_graph& graph) {
  return refusal<stagecut::invalid_input>([&] {
    stagecut::detail::check_operator_figures(graph);
    return 0;
  });
}

}  // namespace

TEST_CASE("every figure of an operator has to be finite and not negative") {
  const std::pair<double graph_operator::*, std::string> figures[] = {
      {&graph_operator::forward, "forward"},
      {&graph_operator::backward, "backward"},
      {&graph_operator::cpu, "cpu"},
      {&graph_operator::sent_seconds, "sent_seconds"},
      {&graph_operator::sent_back_seconds, "sent_back_seconds"},
      {&graph_operator::resident, "resident"},
      {&graph_operator::activations, "activations"},
      {&graph_operator::workspace, "workspace"},
      {&graph_operator::output, "output"}};
  for (const auto& [figure, name] : figures) {
    operator_graph graph;
    graph.operators.resize(3);
    graph.operators[1].*figure = -2;
    CHECK(refused(graph) == "operator 1: " + name + " = -2.000000, must be finite and not negative");
    graph.names = {"a", "b", "c"};
    graph.operators[1].*figure = std::numeric_limits<double>::infinity();
    CHECK(refused(graph) == "operator 1 (\"b\"): " + name + " = inf, must be finite and not negative");
    graph.operators[1].*figure = std::numeric_limits<double>::quiet_NaN();
    CHECK(refused(graph).substr(0, 14) == "operator 1 (\"b");
    graph.operators[1].*figure = std::numeric_limits<double>::max();
    CHECK(refused(graph) == "not refused");
  }
}

TEST_CASE("so has every figure of an edge's tensor") {
  operator_graph graph;
  graph.operators.resize(2);
  graph.edges = {{0, 1}, {0, 1, stagecut::edge_tensor{1, 2, 3}}};
  CHECK(refused(graph) == "not refused");
  const auto said = [&](const stagecut::edge_tensor& tensor) {
    graph.edges[1].tensor = tensor;
    return refused(graph);
  };
  CHECK(said({-1, 0, 0}) == "edge 1: sent_seconds = -1.000000, must be finite and not negative");
  CHECK(said({0, -1, 0}) == "edge 1: sent_back_seconds = -1.000000, must be finite and not negative");
  CHECK(said({0, 0, std::numeric_limits<double>::infinity()}) ==
        "edge 1: bytes = inf, must be finite and not negative");
}

TEST_CASE("so have the latency and shared parameters, whose operators must be there") {
  operator_graph graph;
  CHECK(refused(graph) == "not refused");
  graph.operators.resize(2);
  graph.shared = {{8, {0, 1}}, {4, {}}};
  graph.latency = 0.5;
  CHECK(refused(graph) == "not refused");
  graph.latency = -1;
  CHECK(refused(graph) == "latency: -1.000000, must be finite and not negative");
  graph.latency = 0;
  graph.shared[1].resident = -4;
  CHECK(refused(graph) == "shared 1: resident = -4.000000, must be finite and not negative");
  graph.shared[0].operators = {1, 2};
  CHECK(refused(graph) == "shared 0: there is no operator 2");
}

TEST_CASE("a sum in ticks is the largest below 2^60") {
  for (const double sum : {1.0, 0.1, 3e17, 1e-300, 1e300, std::numeric_limits<double>::max(),
                           std::numeric_limits<double>::denorm_min(), 0x1p60, std::nextafter(0x1p60, 0)}) {
    CAPTURE(sum);
    const auto ticks = static_cast<double>(tick_scale_of(sum).down(sum));
    CHECK(ticks < 0x1p60);
    CHECK(ticks >= 0x1p59);
  }
  CHECK(tick_scale_of(0).nearest(7) == 7);
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(refusal<stagecut::invalid_input>([&] { return tick_scale_of(infinite); }) ==
        "operators: the sum of their figures is out of range");
}
