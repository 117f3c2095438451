// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/verify_plan.hpp>

#include <cstddef>
#include <vector>

#include "known_profile.hpp"
#include "plan_checks.hpp"

using plan_checks::breaks;
using plan_checks::plan_by_hand;
using plan_checks::said;
using stagecut::check_result;
using stagecut::plan;
using stagecut::profile;
using stagecut::verify_plan;

TEST_CASE("an assignment alone is checked for its place") {
  const profile model = known_profile::known;
  const auto all = verify_plan(model, std::vector<std::size_t>{0, 0, 0, 1, 1, 2, 2, 2});
  CHECK(all.holds());
  CHECK(all.find("acyclic")->result == check_result::holds);
  CHECK(all.find("loads")->result == check_result::not_checked);
  CHECK(all.find("loads")->recomputed == 3 * 21.0);
  const auto back = verify_plan(model, std::vector<std::size_t>{0, 0, 1, 0, 1, 2, 2, 2});
  CHECK(back.find("acyclic")->result == check_result::broken);
  CHECK(back.find("acyclic")->place == "edge 2 from layer 2 (\"l\") to layer 3 (\"l\")");
  CHECK(back.find("acyclic")->why == "leads to an earlier stage (1 to 0)");
  CHECK(verify_plan(model, std::vector<std::size_t>{0, 0, 0}).find("assignment")->result == check_result::broken);
  CHECK(verify_plan(model, std::vector<std::size_t>{0, 0, 0, 2, 2, 2, 2, 2}).find("assignment")->place == "stage 1");
  CHECK(verify_plan(model, std::vector<std::size_t>{}).find("assignment")->result == check_result::broken);
  CHECK(!verify_plan(model, std::vector<std::size_t>{0, 0, 0, ~std::size_t{0}, 0, 0, 0, 0}).holds());
}

TEST_CASE("edges of the backward pass lead the other way") {
  profile model = known_profile::chain_of({1, 1, 0, 0});
  for (std::size_t i : {2U, 3U}) model.layers[i].is_backward = true, model.layers[i].backward = 2;
  for (std::size_t i : {0U, 1U}) model.layers[i].backward = 0;
  model.edges = {{0, 1}, {1, 2}, {2, 3}};  // 3 is the gradient of 0
  const auto why = [&](std::vector<std::size_t> stages) { return verify_plan(model, stages).find("acyclic")->why; };
  CHECK(why({0, 1, 1, 0}).empty());
  CHECK(why({0, 1, 0, 1}) == "of the backward pass leads to a later stage (0 to 1)");
  CHECK(why({1, 0, 0, 1}) == "leads to an earlier stage (1 to 0)");
  model.edges.push_back({2, 1});
  CHECK(why({0, 0, 0, 0}) == "the forward pass waits for the backward pass");
  model.edges.push_back({2, 9});
  CHECK(why({0, 1, 1, 0}) == "the forward pass waits for the backward pass");
  model.edges = {{2, 9}};
  CHECK(why({0, 1, 1, 0}) == "names a layer that there is not");
}

TEST_CASE("stages on CPUs take what their layers take there") {
  plan made = plan_by_hand();
  made.profile.layers[3].cpu = 100;
  profile model = made.profile;
  made.stages[1].on_cpu = true;
  CHECK(said(model, made, "devices") == "does not hold: layer 4 (\"l\"): stands on a CPU and does not run on one");
  for (profile* each : {&model, &made.profile}) each->layers[4].cpu = 50, each->layers[4].accelerator = false;
  CHECK(said(model, made, "devices") == "holds: : ");
  CHECK(said(model, made, "loads") == "does not hold: stage 1: both passes are not the sum over its layers on a CPU");
  made.stages[1].forward = 60, made.stages[1].backward = 90, made.stages[1].cost = 150;
  made.objective.value = 150;
  CHECK(verify_plan(model, made).holds());
  CHECK(verify_plan(model, made).find("bound")->recomputed == (3 * 60 - 3 * 18 + 50) / 3.0);
  const auto all = verify_plan(model, made.cuts.assignment());
  CHECK(all.holds());
  CHECK(all.find("loads")->recomputed == 150);
  made.stages[1].on_cpu = false;
  CHECK(said(model, made, "devices") ==
        "does not hold: layer 4 (\"l\"): stands on an accelerator and does not run on one");
  // A device is of one kind.
  made.stages[1].on_cpu = true;
  made.stages[2].device = 1;
  CHECK(breaks(model, made, "devices"));
}

TEST_CASE("a device has its chunks, all of one kind and size") {
  plan made;
  made.profile = known_profile::chain_of({1, 2, 3, 4});
  for (auto& layer : made.profile.layers) layer.cpu = 1;
  made.cuts = {0, 1, 2, 3, 4};
  made.devices = made.stages_per_rank = 2;
  made.stages.resize(4);
  for (std::size_t s = 0; s < 4; ++s) made.stages[s].device = s % 2;
  CHECK(said(made.profile, made, "devices") == "holds: : ");
  made.stages[1].on_cpu = made.stages[3].on_cpu = true;
  CHECK(said(made.profile, made, "devices") == "holds: : ");
  made.stages[3].on_cpu = false;
  CHECK(said(made.profile, made, "devices") ==
        "does not hold: stage 3: shares a device that is a CPU for one stage only");
  made.stages[1].on_cpu = false;
  made.stages[3].device = 0;
  CHECK(said(made.profile, made, "devices") == "does not hold: stage 3: is one more than the stages per rank");
  made.stages[3].device = 1;
  made.stages[2].replicas = 2;
  CHECK(said(made.profile, made, "devices") ==
        "does not hold: stage 2: needs another number of devices than the other stages of its rank, or none");
  made.stages[0].tensor_parallel = 2;
  CHECK(said(made.profile, made, "devices") == "holds: : ");
  made.speeds = {1, 0};
  CHECK(said(made.profile, made, "devices") == "does not hold: device 1: has no speed above 0");
}
