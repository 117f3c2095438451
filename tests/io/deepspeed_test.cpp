// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/deepspeed.hpp>

#include <doctest/doctest.h>

#include <string>

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

TEST_CASE("what DeepSpeed cannot say") {
  for (const char* const schedule : {"gpipe", "interleaved"}) {
    CHECK_THROWS_WITH_AS((void)as_deepspeed(worked_plan(schedule)),
                         Contains("deepspeed cannot say this plan: its schedule is"), not_representable);
  }
  CHECK_THROWS_WITH_AS((void)as_deepspeed(transformer_plan({1, 1, 1, 1}, 2)), Contains("2 stages on every device"),
                       not_representable);
  CHECK_THROWS_WITH_AS(
      (void)as_deepspeed(plan_of(transformer(1), stagecut::cuts({0, 3, 3}, stagecut::empty_stages::allowed))),
      Contains("stage 1 has no layer"), not_representable);
  auto p = worked_plan();
  p.stages[3].device = 0;
  CHECK_THROWS_WITH_AS((void)as_deepspeed(p), Contains("stage 3 stands on device 0"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_deepspeed(inconsistent()), Contains("io::as_deepspeed: plan.stages"),
                       stagecut::argument_error);
}
