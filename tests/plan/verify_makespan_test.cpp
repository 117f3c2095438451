// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/schedule/simulate.hpp>

#include "plan_checks.hpp"

using plan_checks::breaks;
using plan_checks::plan_by_hand;
using plan_checks::said;
using stagecut::plan;

TEST_CASE("all-reduces run beside the passes, one after the other on a device") {
  plan made = plan_by_hand();
  made.schedule = {"1f1b", 4};
  for (auto& stage : made.stages) stage.all_reduce = 500;
  made.makespan = stagecut::simulate(stagecut::schedule_of(made), stagecut::times_of(made, false)).makespan;
  CHECK(said(made.profile, made, "makespan") == "holds: : ");
  CHECK(said(made.profile, made, "loads") ==
        "not checked: stage 0: the profile does not give the time of an all-reduce");
  *made.makespan -= 1;
  CHECK(breaks(made.profile, made, "makespan"));

  // Two stages on one device, whose all-reduces follow each other.
  made = plan_by_hand();
  made.cuts = {0, 3, 8};
  made.stages.resize(2);
  made.stages[1].forward = 39, made.stages[1].backward = 78, made.stages[1].cost = 117, made.stages[1].device = 0;
  made.objective.value = 117;
  made.devices = 1;
  made.stages_per_rank = 2;
  made.schedule = {"looped-bfs", 2};
  for (auto& stage : made.stages) stage.all_reduce = 500;
  made.makespan = stagecut::simulate(stagecut::schedule_of(made), stagecut::times_of(made, false)).makespan;
  CHECK(said(made.profile, made, "makespan") == "holds: : ");
}
