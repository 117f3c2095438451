// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/verify_plan.hpp>

#include <algorithm>
#include <cstddef>

#include "known_profile.hpp"

using stagecut::plan;
using stagecut::profile;
using stagecut::verify_plan;

TEST_CASE("the load of a stage of a graph counts what it sends and receives") {
  // 0 feeds 1 and 2, 1 feeds 2; one layer a stage; the tensors take 3, 5 and 7.
  profile model = known_profile::chain_of({8, 11, 2});
  for (std::size_t i = 0; i < 3; ++i) model.layers[i].output = 3 + 2 * static_cast<double>(i);
  model.edges = {{0, 1}, {0, 2}, {1, 2}};
  plan made;
  made.profile = model;
  made.cuts = {0, 1, 2, 3};
  made.devices = 3;
  made.stages.resize(3);
  made.edges = {{0, 1, 3}, {0, 2, 3}, {1, 2, 5}};
  made.messages = {"blocking", {{0, 1}}};
  for (std::size_t s = 0; s < 3; ++s) {
    made.stages[s].device = s;
    made.stages[s].forward = model.layers[s].forward;
    made.stages[s].backward = model.layers[s].backward;
  }
  const auto costs = [&](double a, double b, double c) {
    made.stages[0].cost = a, made.stages[1].cost = b, made.stages[2].cost = c;
    made.objective = {"bottleneck", "time", std::max({a, b, c}), 0, stagecut::state::feasible};
    return verify_plan(model, made);
  };
  CHECK(costs(24 + 2 * 3, 33 + 2 * 8, 6 + 2 * 8).holds());  // tensors; 0 sends one
  CHECK(costs(24 + 2 * 6, 33 + 2 * 8, 6 + 2 * 8).find("loads")->place == "stage 0");
  CHECK(costs(24 + 3, 33 + 2 * 8, 6 + 2 * 8).find("loads")->place == "stage 0");
  CHECK(costs(24 + 2 * 3, 33 + 2 * 8, 6).find("loads")->recomputed == 6 + 2 * 8.0);
  made.messages.kind = "link";
  CHECK(costs(24, 33, 16).holds());  // of either pass the larger of work and messages
  CHECK(costs(24, 33, 8).find("loads")->place == "stage 2");
  CHECK(costs(24, 33, 6).find("loads")->place == "stage 2");
  made.messages.kind = "latency";
  CHECK(costs(24, 33, 6).holds());
}

TEST_CASE("tensors whose gradient is an operator's output pass once") {
  // 0 feeds 1; 2 is the gradient of 1, and 3 the gradient of 0.
  profile model = known_profile::chain_of({8, 11, 0, 0});
  for (std::size_t i = 0; i < 4; ++i) {
    model.layers[i].is_backward = i >= 2;
    model.layers[i].backward = i >= 2 ? 5 : 0;
    model.layers[i].backward_input.reset();
    model.layers[i].backward_weight.reset();
    model.layers[i].output = 3 + static_cast<double>(i);
  }
  model.edges = {{0, 1}, {1, 2}, {2, 3}};
  plan made;
  made.profile = model;
  made.assignment = {0, 1, 1, 0};
  made.devices = 2;
  made.stages.resize(2);
  made.edges = {{0, 1, 3}};
  made.messages = {"blocking", {{0, 1}}};
  for (std::size_t s = 0; s < 2; ++s) {
    made.stages[s].device = s;
    made.stages[s].forward = model.layers[s].forward;
    made.stages[s].backward = 5;
    made.stages[s].cost = made.stages[s].forward + 5 + 3 + 5;
  }
  made.objective = {"bottleneck", "time", 24, 0, stagecut::state::feasible};
  CHECK(verify_plan(model, made).holds());
  made.stages[1].cost += 8;
  CHECK(verify_plan(model, made).find("loads")->place == "stage 1");
}

TEST_CASE("stages of one device hand over for nothing") {
  const profile model = known_profile::chain_of({8, 11});
  plan made;
  made.profile = model;
  made.cuts = {0, 1, 2};
  made.devices = 1;
  made.stages_per_rank = 2;
  made.stages.resize(2);
  made.messages = {"blocking", {{100, 1}}};
  for (std::size_t s = 0; s < 2; ++s) {
    made.stages[s].forward = model.layers[s].forward;
    made.stages[s].backward = model.layers[s].backward;
    made.stages[s].cost = 3 * model.layers[s].forward;
  }
  made.objective = {"bottleneck", "time", 33, 0, stagecut::state::feasible};
  CHECK(verify_plan(model, made).holds());
}
