// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/verify_plan.hpp>

#include <cstddef>

#include "plan_checks.hpp"

using plan_checks::plan_by_hand;
using plan_checks::said;
using stagecut::plan;
using stagecut::verify_plan;

TEST_CASE("no plan is below the gradients apart, where these take less than together") {
  plan made = plan_by_hand();
  made.objective.name = "makespan";
  made.schedule = {"zb-h1", 100};
  const auto least = [&] { return *verify_plan(made.profile, made).find("bound")->recomputed; };
  const double before = least();
  for (auto& layer : made.profile.layers) layer.backward_input = 100;
  CHECK(least() == before);
  for (auto& layer : made.profile.layers) layer.backward_input = 0;
  CHECK(least() < before);
}

TEST_CASE("no plan is below a group, or below the way of a microbatch") {
  plan made = plan_by_hand();
  for (std::size_t i : {0U, 1U, 2U}) made.profile.layers[i].group = "first";
  for (std::size_t i : {3U, 4U}) made.profile.layers[i].group = "second";
  const auto least = [&] { return verify_plan(made.profile, made).find("bound")->recomputed; };
  CHECK(least() == 63);
  made.objective.name = "makespan";
  made.schedule = {"1f1b", 1};
  CHECK(least() == 180 - 60);  // I of all layers, and no W
  for (auto& layer : made.profile.layers) layer.backward_input.reset(), layer.backward_weight.reset();
  CHECK(least() == 180);
  made.schedule.microbatches = 100;
  CHECK(least() == 6300);
  made.objective.bound = -1;
  CHECK(said(made.profile, made, "bound") == "does not hold: : bound or value is negative or not finite");
}
