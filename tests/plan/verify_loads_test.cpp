// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/verify_plan.hpp>

#include "plan_checks.hpp"

using plan_checks::breaks;
using plan_checks::plan_by_hand;
using plan_checks::said;
using stagecut::plan;
using stagecut::profile;
using stagecut::verify_plan;

TEST_CASE("layers are held to the variants that were chosen") {
  plan made = plan_by_hand();
  stagecut::layer_variant full{"full", 1, 18, 60};
  full.activations = 1, full.parameters = 10, full.output = 1;
  stagecut::layer_variant column{"column", 2, 9, 18};
  column.parameters = 5, column.activations = 2, column.output = 1;
  made.profile.layers[4].recomputations = {full};
  made.profile.layers[3].shardings = {column};
  made.profile.layers[4].shardings = {column};
  const profile model = made.profile;
  made.choices.resize(8);
  made.choices[4].recomputation = "full";
  CHECK(said(model, made, "loads") == "does not hold: stage 1: backward is not the sum over its layers");
  made.stages[1].backward = 2 + 60;
  made.stages[1].cost = 19 + 62;
  made.objective.value = 81;
  CHECK(verify_plan(model, made).holds());
  made.choices[4].sharding = "column";
  CHECK(said(model, made, "loads") == "not checked: stage 1: two variants were chosen at a time");
  made.choices[3].sharding = "column";
  made.choices[4] = {"", "column"};
  made.stages[1].tensor_parallel = 2;
  made.stages[1].forward = 18, made.stages[1].backward = 36, made.stages[1].cost = 54;
  made.objective.value = 63;
  CHECK(verify_plan(model, made).holds());
  CHECK(said(model, made, "loads") == "holds: : ");
  made.choices.resize(7);
  CHECK(breaks(model, made, "loads"));
}
