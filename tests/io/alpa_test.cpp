// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/alpa.hpp>

#include <doctest/doctest.h>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_alpa;
using stagecut::io::not_representable;

TEST_CASE("the worked example") {
  CHECK(as_alpa(worked_plan()) ==
        "ManualStageOption([[0,1,2,3,4,5],[6,7,8,9,10,11],[12,13,14,15,16,17,18],[19,20,21,22,23,24,25]], [(1,1)]*4, "
        "[(1,1)]*4, [{}]*4)");
  CHECK(as_alpa(transformer_plan({0})) == "ManualStageOption([[0,1]], [(1,1)]*1, [(1,1)]*1, [{}]*1)");
}

TEST_CASE("what Alpa cannot express") {
  CHECK_THROWS_WITH_AS((void)as_alpa(transformer_plan({1, 1, 1, 1}, 2)),
                       Contains("alpa cannot express this plan: 2 stages on every device"), not_representable);
  CHECK_THROWS_WITH_AS(
      (void)as_alpa(plan_of(transformer(1), stagecut::cuts({0, 0, 3}, stagecut::empty_stages::allowed))),
      Contains("stage 0 has no layer"), not_representable);
  auto p = worked_plan();
  p.stages[1].device = 3;
  CHECK_THROWS_WITH_AS((void)as_alpa(p), Contains("stage 1 stands on device 3"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_alpa(inconsistent()), Contains("io::as_alpa: plan.stages"), stagecut::argument_error);
}
