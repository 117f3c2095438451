// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/deepspeed.hpp>

#include <doctest/doctest.h>

#include <string>

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan_request.hpp>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_deepspeed;
using stagecut::io::not_representable;

TEST_CASE("the worked example") {
  const std::string text =
      "class Cut(PipelineModule):\n"
      "    def _partition_layers(self, method='uniform'):\n"
      "        self.parts = [0, 6, 12, 19, 26]\n"
      "        s = self._topo.get_coord(self.global_rank).pipe\n"
      "        self._set_bounds(start=self.parts[s], stop=self.parts[s+1])";
  CHECK(as_deepspeed(worked_plan()) == text);
  CHECK(as_deepspeed(worked_plan("1f1b")) == text + "\nconfig = {\"gradient_accumulation_steps\": 8}");
  CHECK(as_deepspeed(tied(worked_plan())) == text);
}

TEST_CASE("DualPipeV: two stages a rank, in a V") {
  stagecut::profile model;
  model.layers = transformer(14);
  for (stagecut::layer& layer : model.layers) layer.forward = 1, layer.backward = 2;
  stagecut::plan_request request{.devices = 2, .microbatches = 4, .stages_per_rank = 2};
  request.schedule = stagecut::schedule_kind::dualpipev;
  request.target = stagecut::framework::deepspeed;
  const auto made = stagecut::make_plan(model, request);
  REQUIRE(made);
  const std::string text = as_deepspeed(*made);
  CHECK(text.find("class Cut(DualPipeVModule):\n") == 0);
  CHECK(text.find("        self.num_stages *= 2\n        self.parts = [0, ") != std::string::npos);
  CHECK(text.find("for k in (s, self.num_stages-1-s)]\n        self._set_bounds(*self.phase_bounds[0])") !=
        std::string::npos);
  CHECK(text.find("{\"gradient_accumulation_steps\": 4}") != std::string::npos);
  request.microbatches = 3;
  CHECK_THROWS_WITH_AS((void)stagecut::make_plan(model, request),
                       Contains("3 microbatches, and DualPipeV needs at least two for each of the 2 ranks: 4"),
                       not_representable);
}

TEST_CASE("what DeepSpeed cannot express") {
  for (const char* const schedule : {"gpipe", "interleaved"}) {
    CHECK_THROWS_WITH_AS((void)as_deepspeed(worked_plan(schedule)),
                         Contains("deepspeed cannot express this plan: its schedule is"), not_representable);
  }
  CHECK_THROWS_WITH_AS((void)as_deepspeed(transformer_plan({1, 1, 1, 1}, 2)),
                       Contains("stage 2 stands on device 0, and its place is device 1"), not_representable);
  CHECK_THROWS_WITH_AS(
      (void)as_deepspeed(plan_of(transformer(1), stagecut::cuts({0, 3, 3}, stagecut::empty_stages::allowed))),
      Contains("stage 1 has no layer"), not_representable);
  auto p = worked_plan();
  p.stages[3].device = 0;
  CHECK_THROWS_WITH_AS((void)as_deepspeed(p), Contains("stage 3 stands on device 0"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_deepspeed(inconsistent()), Contains("io::as_deepspeed: plan.stages"),
                       stagecut::argument_error);
}
