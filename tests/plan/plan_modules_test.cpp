// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan_modules.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <stagecut/plan/plan_verification.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/flatten_modules.hpp>

#include "../refusal.hpp"
#include "module_trees.hpp"

using stagecut::plan_modules;
using stagecut::profile;

TEST_CASE("each run of leaves on a device is a stage, and what is left over is empty") {
  const auto made = plan_modules(encoder_decoder(), {.devices = 4});
  REQUIRE(made);
  const stagecut::plan& plan = made->plan;
  CHECK(plan.devices == 4);
  CHECK(plan.stages_per_rank == 3);
  CHECK(plan.cuts == stagecut::cuts({0, 1, 5, 7, 9, 11, 12, 12, 12, 12, 12, 12, 12}, stagecut::empty_stages::allowed));
  std::vector<std::size_t> devices;
  for (const auto& stage : plan.stages) devices.push_back(stage.device);
  CHECK(devices == std::vector<std::size_t>{0, 2, 0, 1, 3, 0, 1, 1, 2, 2, 3, 3});
  CHECK(plan.stages[1].forward == 20);
  CHECK(plan.stages[1].memory.resident == 4 * 16);
  CHECK(plan.stages[1].in_flight == 0);
  CHECK(plan.schedule.name.empty());
  CHECK(plan.objective.name.empty());
  CHECK(plan.objective.value == made->partition.value);
  CHECK(stagecut::verify_plan(stagecut::flatten_modules(encoder_decoder()), plan).holds());

  // With two devices each has a run.
  const auto two = plan_modules(encoder_decoder(), {.devices = 2}, {.parameter_multiplier = 2});
  REQUIRE(two);
  CHECK(two->plan.stages_per_rank == 1);
  CHECK(two->plan.objective.name == "bottleneck");
  CHECK(two->plan.cuts == stagecut::cuts{0, 5, 12});
  CHECK(two->plan.stages[0].device == 1);
  CHECK(two->plan.stages[0].memory.resident == 2 * 28);
  CHECK(plan_modules(encoder_decoder(), {.devices = 1}).state() == stagecut::state::optimal);
  CHECK(plan_modules(encoder_decoder(), {.devices = 13}).state() == stagecut::state::infeasible);

  // A model that is all in one leaf leaves the other device nothing.
  profile heavy;
  heavy.layers = {module_of("model", 1, 1, {1}), module_of("a", 0, 0)};
  const auto idle = plan_modules(heavy, {.devices = 2});
  REQUIRE(idle);
  CHECK(idle->plan.stages_per_rank == 2);
  CHECK(idle->plan.stages.size() == 4);
}

TEST_CASE("plans of small trees hold against their profiles") {
  std::mt19937 random(3);
  int planned = 0;
  int refused = 0;
  for (int round = 0; round < 500; ++round) {
    profile model = random_modules(random);
    for (auto& layer : model.layers) {
      layer.activations = static_cast<double>(below(random, 3));
      layer.output = static_cast<double>(below(random, 3));
    }
    const profile leaves = stagecut::flatten_modules(model);
    const std::size_t devices = 1 + below(random, std::min<std::size_t>(leaves.layers.size(), 5));
    try {
      const auto made = plan_modules(model, {.devices = devices});
      REQUIRE(made);
      const auto checks = stagecut::verify_plan(leaves, made->plan);
      for (const auto& check : checks.checks) {
        INFO(check.name, " ", check.why);
        REQUIRE(check.result != stagecut::check_result::broken);
      }
      ++planned;
    } catch (const stagecut::invalid_input& error) {
      const std::string what = error.what();
      const bool said =
          what.ends_with("between them: no stage has both") || what.ends_with("the layers of a group are neighbours");
      CHECK_MESSAGE(said, what);
      ++refused;
    }
  }
  CHECK(planned > 300);
  CHECK(refused > 10);
}

TEST_CASE("what no plan can say is refused") {
  profile model = encoder_decoder();
  for (const std::size_t i : {1U, 4U}) {
    model.layers[i].tied = {{"word", 12, {}, stagecut::tied_parameters::placement::colocated}};
  }
  CHECK(refusal([&] { return plan_modules(model, {.devices = 4}); }) ==
        "layer 11 (\"head\"): has the same colocated parameters \"word\" as layer 0 (\"embed\"), on the same device "
        "with another one's layers between them: no stage has both");
  for (const std::size_t i : {1U, 4U}) model.layers[i].tied[0].where = stagecut::tied_parameters::placement::replicated;
  CHECK(plan_modules(model, {.devices = 4}).has_value());
  model.edges = {{1, 2}};
  CHECK(refusal([&] { return plan_modules(model, {.devices = 4}); }) ==
        "edge 0: orders layers, and modules run in the order of their tree");
}
