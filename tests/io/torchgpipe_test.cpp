// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/torchgpipe.hpp>

#include <doctest/doctest.h>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_fairscale;
using stagecut::io::as_torchgpipe;
using stagecut::io::not_representable;

TEST_CASE("the worked example") {
  CHECK(as_torchgpipe(worked_plan()) == "balance=[6, 6, 7, 7]");
  auto p = worked_plan("gpipe");
  const char* const text =
      "balance=[6, 6, 7, 7]\n"
      "model = GPipe(model, balance, chunks=8, checkpoint='except_last')";
  CHECK(as_torchgpipe(p) == text);
  p.schedule.name = "";
  CHECK(as_torchgpipe(p) == text);
  p.memory.checkpoint = "always";
  CHECK(as_torchgpipe(p) ==
        "balance=[6, 6, 7, 7]\n"
        "model = GPipe(model, balance, chunks=8, checkpoint='always')");
  p.memory.checkpoint = "never";
  CHECK(as_torchgpipe(p) ==
        "balance=[6, 6, 7, 7]\n"
        "model = GPipe(model, balance, chunks=8, checkpoint='never')");
}

TEST_CASE("what torchgpipe cannot express") {
  CHECK_THROWS_WITH_AS((void)as_torchgpipe(worked_plan("1f1b")),
                       Contains("torchgpipe cannot express this plan: its schedule is \"1f1b\""), not_representable);
  CHECK_THROWS_WITH_AS((void)as_torchgpipe(transformer_plan({1, 1, 1, 1}, 2)), Contains("2 stages on every device"),
                       not_representable);
  CHECK_THROWS_WITH_AS((void)as_torchgpipe(tied(worked_plan())), Contains("shares \"embedding.weight\""),
                       not_representable);
  CHECK_THROWS_WITH_AS(
      (void)as_torchgpipe(plan_of(transformer(1), stagecut::cuts({0, 0, 3}, stagecut::empty_stages::allowed))),
      Contains("stage 0 has no layer"), not_representable);
  auto p = worked_plan();
  p.memory.checkpoint = "')";
  CHECK_THROWS_WITH_AS((void)as_torchgpipe(p), Contains("checkpoint mode \"')\" is not known to it"),
                       not_representable);
  p = worked_plan();
  p.stages[0].device = 1;
  CHECK_THROWS_WITH_AS((void)as_torchgpipe(p), Contains("stage 0 stands on device 1"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_torchgpipe(inconsistent()), Contains("io::as_torchgpipe: plan.stages"),
                       stagecut::argument_error);
}

TEST_CASE("FairScale has another class, and is what its errors name") {
  CHECK(as_fairscale(worked_plan()) == "balance=[6, 6, 7, 7]");
  CHECK(as_fairscale(worked_plan("gpipe")) ==
        "balance=[6, 6, 7, 7]\n"
        "model = Pipe(model, balance, chunks=8, checkpoint='except_last')");
  CHECK_THROWS_WITH_AS((void)as_fairscale(worked_plan("1f1b")),
                       Contains("fairscale cannot express this plan: its schedule is \"1f1b\""), not_representable);
  CHECK_THROWS_WITH_AS((void)as_fairscale(inconsistent()), Contains("io::as_fairscale: plan.stages"),
                       stagecut::argument_error);
}
