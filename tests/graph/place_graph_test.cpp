// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/place_graph.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/plan_graph.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/verify_plan.hpp>

#include "../refusal.hpp"

using stagecut::graph_method;
using stagecut::place_graph;
using stagecut::plan_graph;
using stagecut::plan_request;
using stagecut::state;

namespace {

/// Two branches of two layers each between a first and a last one, with given output bytes.
stagecut::profile branches() {
  stagecut::profile model;
  const double bytes[] = {10, 7, 5, 7, 5, 1};
  for (std::size_t i = 0; i < 6; ++i) {
    stagecut::layer each;
    each.name = "l" + std::to_string(i);
    each.forward = 1;
    each.parameters = 4;
    each.output = bytes[i];
    model.layers.push_back(each);
  }
  model.edges = {{0, 1}, {1, 2}, {0, 3}, {3, 4}, {2, 5}, {4, 5}};
  return model;
}

plan_request request_of(std::size_t devices) {
  plan_request request;
  request.devices = devices;
  request.method = graph_method::communication;
  return request;
}

}  // namespace

TEST_CASE("a plan by communication says what is handed over, and holds what it says") {
  const stagecut::profile model = branches();
  const auto made = plan_graph(model, request_of(2));
  REQUIRE(made.state() == state::optimal);
  CHECK(made->objective.name == "communication");
  CHECK(made->objective.of == "sent bytes");
  CHECK(made->objective.value == 14);
  CHECK(made->objective.bound == 14);
  CHECK(stagecut::stage_of_layers(*made) == std::vector<std::size_t>{0, 0, 1, 0, 1, 1});
  CHECK(made->stages[0].cost == 14);
  for (const auto& check : stagecut::verify_plan(model, *made).checks) {
    INFO(check.name);
    CHECK(check.result != stagecut::check_result::broken);
  }
}

TEST_CASE("over a link seconds are handed over, there and back") {
  stagecut::profile model = branches();
  for (auto& layer : model.layers) layer.backward = 1;
  plan_request request = request_of(2);
  request.links = {{0.5, 2}};
  const auto made = plan_graph(model, request);
  REQUIRE(made.state() == state::optimal);
  CHECK(made->objective.of == "sent time");
  CHECK(made->objective.value == 2 * (7.0 / 2 + 7.0 / 2) + 4 * 0.5);
}

TEST_CASE("what plans by communication say of every stage and of the whole is worked out anew, and what is spoilt is found") {
  std::mt19937 random(3);
  const auto up_to = [&](std::size_t most) { return random() % (most + 1); };
  std::size_t planned = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    stagecut::profile model;
    const std::size_t n = 3 + up_to(5);
    for (std::size_t i = 0; i < n; ++i) {
      stagecut::layer each;
      each.name = "l" + std::to_string(i);
      each.forward = static_cast<double>(1 + up_to(4));
      each.backward = round % 2 == 0 ? each.forward : 0;
      each.parameters = static_cast<double>(up_to(9));
      each.output = static_cast<double>(up_to(20));
      model.layers.push_back(each);
      for (std::size_t from = 0; from < i; ++from) {
        if (up_to(2) == 0) model.edges.push_back({from, i});
      }
    }
    if (model.edges.empty()) continue;
    plan_request request = request_of(2 + up_to(1));
    request.imbalance = 1;
    if (round % 3 == 0) request.links = {{static_cast<double>(up_to(2)), 4}};
    if (round % 3 == 1) model.machine.link = stagecut::link_speed{1, 2};
    const auto made = plan_graph(model, request);
    if (!made) continue;
    ++planned;
    CHECK(made->objective.of == (round % 3 == 2 ? "sent bytes" : "sent time"));
    const auto all = stagecut::verify_plan(model, *made);
    for (const char* const name : {"loads", "objective"}) {
      CHECK(all.find(name)->result == stagecut::check_result::holds);
      CHECK(all.find(name)->recomputed);
    }
    for (std::size_t s = 0; s <= made->stages.size(); ++s) {
      stagecut::plan other = *made;
      double& spoilt = s < other.stages.size() ? other.stages[s].cost : other.objective.value;
      spoilt += 1;
      CHECK(!stagecut::verify_plan(model, other).holds());
    }
  }
  CHECK(planned > 200);
}

TEST_CASE("a placement in no order hands over less") {
  stagecut::profile model = branches();
  model.layers[0].group = model.layers[5].group = "ends";
  plan_request request = request_of(2);
  request.imbalance = 0.4;
  const auto placed = place_graph(model, request);
  REQUIRE(placed.state() == state::optimal);
  CHECK(placed->of == "sent bytes");
  CHECK(placed->placement.value == 15);
  CHECK(placed->placement.assignment == std::vector<std::size_t>{0, 0, 0, 1, 1, 0});
  CHECK(placed->devices[1] == stagecut::placed_device{2, 8 * request.memory_accounting.parameter_multiplier, 15});
  const auto made = plan_graph(model, request);
  CHECK(made.state() == state::infeasible);
}

TEST_CASE("fewer devices may do, and are left out then") {
  plan_request request = request_of(4);
  request.at_most = true;
  request.imbalance = 3;
  const auto made = plan_graph(branches(), request);
  REQUIRE(made.state() == state::optimal);
  CHECK(made->devices == 1);
  CHECK(made->objective.value == 0);
}

TEST_CASE("what does not go with the method is refused, and the method by others") {
  const auto refused = [](const auto& change) {
    plan_request request = request_of(2);
    change(request);
    return refusal([&] { return plan_graph(branches(), request); });
  };
  CHECK(refused([](plan_request& r) { r.cpus = 1; }) ==
        "stagecut::plan_graph: cpus = 1, is not known to the method communication, which balances variables and "
        "operators alone");
  CHECK(refused([](plan_request& r) { r.memory_limit = 5; }).find("memory_limit = 5") != std::string::npos);
  CHECK(refused([](plan_request& r) { r.speeds = {1, 2}; }).find("speeds") != std::string::npos);
  CHECK(refused([](plan_request& r) { r.imbalance = -0.5; }).find("imbalance = -0.5, must be") != std::string::npos);
  CHECK(refused([](plan_request& r) { r.objective = stagecut::plan_objective::makespan; }) ==
        "stagecut::plan_graph: objective = makespan, must be left out where the method is communication, or "
        "communication");
  CHECK(refused([](plan_request& r) {
          r.method = graph_method::automatic;
          r.objective = stagecut::plan_objective::communication;
        }) == "stagecut::plan_graph: objective = communication, must be bottleneck or makespan for a graph");
  stagecut::load_request load;
  load.method = graph_method::communication;
  CHECK(refusal([&] { return stagecut::minimize_load(stagecut::operator_graph{}, load); }) ==
        "stagecut::minimize_load: method = communication, is for minimize_communication");
}
