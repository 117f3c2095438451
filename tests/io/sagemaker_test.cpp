// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/sagemaker.hpp>

#include <doctest/doctest.h>

#include <string>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_sagemaker;
using stagecut::io::not_representable;

TEST_CASE("the worked example") {
  const std::string contexts =
      "\nwith smp.partition(0):\n"
      "    ...  # tok_embeddings, layers.0, layers.1, layers.2, layers.3, layers.4\n"
      "with smp.partition(1):\n"
      "    ...  # layers.5, layers.6, layers.7, layers.8, layers.9, layers.10\n"
      "with smp.partition(2):\n"
      "    ...  # layers.11, layers.12, layers.13, layers.14, layers.15, layers.16, layers.17\n"
      "with smp.partition(3):\n"
      "    ...  # layers.18, layers.19, layers.20, layers.21, layers.22, layers.23, norm, lm_head";
  CHECK(as_sagemaker(worked_plan("1f1b")) ==
        "{\"pipeline_parallel_degree\":4, \"microbatches\":8, \"pipeline\":\"interleaved\", \"auto_partition\":False, "
        "\"default_partition\":0}" +
            contexts);
  CHECK(as_sagemaker(worked_plan("gpipe")) ==
        "{\"pipeline_parallel_degree\":4, \"microbatches\":8, \"pipeline\":\"simple\", \"auto_partition\":False, "
        "\"default_partition\":0}" +
            contexts);
  CHECK(as_sagemaker(worked_plan()) ==
        "{\"pipeline_parallel_degree\":4, \"auto_partition\":False, \"default_partition\":0}" + contexts);
}

TEST_CASE("a name cannot leave its comment") {
  auto p = transformer_plan({1});
  p.profile.layers[1].name = "x\nimport os\r";
  CHECK(as_sagemaker(p).find("# tok_embeddings, x\\u000aimport os\\u000d, norm") != std::string::npos);
}

TEST_CASE("what SageMaker cannot express") {
  CHECK_THROWS_WITH_AS((void)as_sagemaker(worked_plan("interleaved")),
                       Contains("sagemaker cannot express this plan: its schedule is \"interleaved\""),
                       not_representable);
  CHECK_THROWS_WITH_AS((void)as_sagemaker(transformer_plan({1, 1, 1, 1}, 2)), Contains("2 stages on every device"),
                       not_representable);
  CHECK_THROWS_WITH_AS((void)as_sagemaker(tied(worked_plan())), Contains("shares \"embedding.weight\""),
                       not_representable);
  CHECK_THROWS_WITH_AS(
      (void)as_sagemaker(plan_of(transformer(1), stagecut::cuts({0, 0, 3}, stagecut::empty_stages::allowed))),
      Contains("stage 0 has no layer"), not_representable);
  auto p = worked_plan();
  p.stages[1].device = 3;
  CHECK_THROWS_WITH_AS((void)as_sagemaker(p), Contains("stage 1 stands on device 3"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_sagemaker(inconsistent()), Contains("io::as_sagemaker: plan.stages"),
                       stagecut::argument_error);
}
