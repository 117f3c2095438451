// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/pytorch.hpp>

#include <doctest/doctest.h>

#include <string>

#include "graph_plans.hpp"
#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_split_module;
using stagecut::io::as_split_spec;
using stagecut::io::not_representable;

TEST_CASE("the worked example as split_spec") {
  CHECK(as_split_spec(worked_plan()) ==
        "split_spec={\"layers.5\": SplitPoint.BEGINNING, \"layers.11\": SplitPoint.BEGINNING, \"layers.18\": "
        "SplitPoint.BEGINNING}");
  CHECK(as_split_spec(transformer_plan({2})) == "split_spec={}");
  CHECK(as_split_spec(transformer_plan({1, 1, 1, 0}, 2)) ==
        "split_spec={\"layers.1\": SplitPoint.BEGINNING, \"layers.2\": SplitPoint.BEGINNING, \"norm\": "
        "SplitPoint.BEGINNING}");
}

TEST_CASE("the stage of every module") {
  CHECK(as_split_module(transformer_plan({2, 1})) ==
        "stage_of = {\n"
        "    \"tok_embeddings\": 0,\n"
        "    \"layers.0\": 0,\n"
        "    \"layers.1\": 0,\n"
        "    \"layers.2\": 1,\n"
        "    \"norm\": 1,\n"
        "    \"lm_head\": 1,\n"
        "}");
  const std::string text = as_split_module(worked_plan());
  CHECK(text.find("    \"layers.4\": 0,\n    \"layers.5\": 1,\n") != std::string::npos);
  CHECK(text.find("    \"layers.23\": 3,\n    \"norm\": 3,\n    \"lm_head\": 3,\n}") != std::string::npos);
}

TEST_CASE("names cannot break out of their quotes") {
  auto p = transformer_plan({1, 1});
  p.profile.layers[2].name = "a\"\\\n";
  CHECK(as_split_spec(p) == "split_spec={\"a\\\"\\\\\\u000a\": SplitPoint.BEGINNING}");
  CHECK(as_split_module(p).find("    \"a\\\"\\\\\\u000a\": 1,\n") != std::string::npos);
}

TEST_CASE("what PyTorch cannot express") {
  for (const auto write : {as_split_spec, as_split_module}) {
    CHECK_THROWS_WITH_AS((void)write(tied(worked_plan())), Contains("shares \"embedding.weight\""), not_representable);
    auto p = worked_plan();
    p.profile.layers[7].name = "";
    CHECK_THROWS_WITH_AS((void)write(p), Contains("layer \"\" of kind \"decoder\" has a module without a name"),
                         not_representable);
    p.profile.layers[7].name = "layers.0";
    CHECK_THROWS_WITH_AS((void)write(p), Contains("module \"layers.0\" of layer \"layers.0\""), not_representable);
    CHECK_THROWS_WITH_AS(
        (void)write(plan_of(transformer(1), stagecut::cuts({0, 3, 3}, stagecut::empty_stages::allowed))),
        Contains("stage 1 has no layer of the forward pass"), not_representable);
  }
  CHECK_THROWS_WITH_AS((void)as_split_spec(tied(worked_plan())), Contains("pytorch cannot express"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_split_module(tied(worked_plan())), Contains("split-module cannot express"),
                       not_representable);
  CHECK_THROWS_WITH_AS((void)as_split_spec(inconsistent()), Contains("io::as_split_spec: plan.stages"),
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)as_split_module(inconsistent()), Contains("io::as_split_module: plan.stages"),
                       stagecut::argument_error);
}

TEST_CASE("stages that are no chain of intervals") {
  stagecut::plan p = diamond_plan();
  CHECK(as_split_module(p) ==
        "stage_of = {\n"
        "    \"a\": 0,\n"
        "    \"c\": 0,\n"
        "    \"b\": 1,\n"
        "    \"d\": 1,\n"
        "}");
  CHECK_THROWS_WITH_AS((void)as_split_spec(p), Contains("its stages are not intervals in the order of its layers"),
                       not_representable);
  // A stage may feed any later one.
  p.assignment.clear();
  p.cuts = {0, 1, 3, 4};
  p.devices = 3;
  p.stages.resize(3);
  p.edges = {{0, 1, 10}, {0, 2, 10}, {1, 2, 20}};
  CHECK(as_split_spec(p) == "split_spec={\"b\": SplitPoint.BEGINNING, \"d\": SplitPoint.BEGINNING}");
}

TEST_CASE("operators of the backward pass are left to PyTorch") {
  stagecut::plan p = diamond_plan();
  for (const std::size_t i : {1U, 2U}) {
    p.profile.layers[i].is_backward = true;
    p.profile.layers[i].name = "";
  }
  CHECK(as_split_module(p) == "stage_of = {\n    \"a\": 0,\n    \"d\": 1,\n}");
  p.assignment = {1, 0, 1, 1};
  CHECK_THROWS_WITH_AS((void)as_split_module(p), Contains("stage 0 has no layer of the forward pass"),
                       not_representable);
  p.assignment.clear();
  p.cuts = {0, 2, 4};
  CHECK(as_split_spec(p) == "split_spec={\"d\": SplitPoint.BEGINNING}");
}
