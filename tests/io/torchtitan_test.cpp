// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/torchtitan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_torchtitan;
using stagecut::io::not_representable;

TEST_CASE("the worked example") {
  CHECK(as_torchtitan(worked_plan()) ==
        "module_fqns_per_model_part=["
        "[\"tok_embeddings\",\"layers.0\",\"layers.1\",\"layers.2\",\"layers.3\",\"layers.4\"],"
        "[\"layers.5\",\"layers.6\",\"layers.7\",\"layers.8\",\"layers.9\",\"layers.10\"],"
        "[\"layers.11\",\"layers.12\",\"layers.13\",\"layers.14\",\"layers.15\",\"layers.16\",\"layers.17\"],"
        "[\"layers.18\",\"layers.19\",\"layers.20\",\"layers.21\",\"layers.22\",\"layers.23\",\"norm\",\"lm_head\"]]");
}

TEST_CASE("several stages a device, and names with quotes") {
  auto p = transformer_plan({1, 1, 1, 0}, 2);
  p.profile.layers[2].name = "a\"\n";
  CHECK(as_torchtitan(p) ==
        "module_fqns_per_model_part=[[\"tok_embeddings\",\"layers.0\"],[\"a\\\"\\u000a\"],[\"layers.2\"],[\"norm\","
        "\"lm_head\"]]");
}

TEST_CASE("an order of its own in a V is placed by the name of a schedule in a V") {
  auto p = transformer_plan({1, 1, 1, 1}, 2);
  p.schedule.microbatches = 1;
  p.schedule.orders = {{{stagecut::op_kind::forward, 0, 0}}, {{stagecut::op_kind::forward, 1, 0}}};
  CHECK(as_torchtitan(p).find("pipeline_parallel_schedule=") == std::string::npos);
  const std::size_t back[] = {0, 1, 1, 0};
  for (std::size_t s = 0; s < 4; ++s) p.stages[s].device = back[s];
  CHECK(as_torchtitan(p).find("\npipeline_parallel_schedule=\"ZBVZeroBubble\"") != std::string::npos);
  CHECK(as_torchtitan(p).find("pipeline_parallel_schedule_csv=\"schedule.csv\"") != std::string::npos);
}

TEST_CASE("what torchtitan cannot express") {
  CHECK_THROWS_WITH_AS((void)as_torchtitan(tied(worked_plan())),
                       Contains("torchtitan cannot express this plan: layer \"final\""), not_representable);
  auto p = worked_plan();
  p.stages[1].device = 3;
  CHECK_THROWS_WITH_AS((void)as_torchtitan(p), Contains("stage 1 stands on device 3"), not_representable);
  p = worked_plan();
  p.profile.layers[7].modules = {"lm_head"};
  CHECK_THROWS_WITH_AS((void)as_torchtitan(p), Contains("module \"lm_head\""), not_representable);
  CHECK_THROWS_WITH_AS(
      (void)as_torchtitan(plan_of(transformer(1), stagecut::cuts({0, 3, 3}, stagecut::empty_stages::allowed))),
      Contains("stage 1 has no layer"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_torchtitan(inconsistent()), Contains("io::as_torchtitan: plan.stages"),
                       stagecut::argument_error);
}
