// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/cuts.hpp>
#include <stagecut/io/frameworks/pipedream_conf.hpp>

#include <doctest/doctest.h>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_pipedream_conf;
using stagecut::io::not_representable;

TEST_CASE("stages with and without replicas") {
  auto p = worked_plan();
  CHECK(as_pipedream_conf(p) ==
        R"({"module_to_stage_map": [0, 1, 2, 3, 3], "stage_to_rank_map": {"0": [0], "1": [1], "2": [2], "3": [3]}})");
  p.stages[0].replicas = 3;
  p.stages[2].replicas = 2;
  CHECK(as_pipedream_conf(p) == R"({"module_to_stage_map": [0, 1, 2, 3, 3], "stage_to_rank_map": )"
                                R"({"0": [0, 1, 2], "1": [3], "2": [4, 5], "3": [6]}})");
  CHECK(as_pipedream_conf(transformer_plan({0})) ==
        R"({"module_to_stage_map": [0, 0], "stage_to_rank_map": {"0": [0]}})");
}

TEST_CASE("what PipeDream cannot express") {
  CHECK_THROWS_WITH_AS((void)as_pipedream_conf(transformer_plan({1, 1, 1, 1}, 2)),
                       Contains("pipedream cannot express this plan: 2 stages on every device"), not_representable);
  CHECK_THROWS_WITH_AS(
      (void)as_pipedream_conf(plan_of(transformer(1), stagecut::cuts({0, 0, 3}, stagecut::empty_stages::allowed))),
      Contains("stage 0 has no layer"), not_representable);
  auto p = worked_plan();
  p.stages[1].tensor_parallel = 2;
  CHECK_THROWS_WITH_AS((void)as_pipedream_conf(p), Contains("it gives a replica one device"), not_representable);
  p = worked_plan("gpipe");
  CHECK_THROWS_WITH_AS((void)as_pipedream_conf(p), Contains("its schedule is \"gpipe\""), not_representable);
  CHECK_THROWS_WITH_AS((void)as_pipedream_conf(inconsistent()), Contains("io::as_pipedream_conf: plan.stages"),
                       stagecut::argument_error);
}
