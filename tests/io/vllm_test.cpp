// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/vllm.hpp>

#include <doctest/doctest.h>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_sglang;
using stagecut::io::as_vllm;
using stagecut::io::not_representable;

TEST_CASE("the worked example") {
  CHECK(as_vllm(worked_plan()) == "VLLM_PP_LAYER_PARTITION=5,6,7,6");
  CHECK(as_sglang(worked_plan()) == "SGLANG_PP_LAYER_PARTITION=5,6,7,6");
  CHECK(as_vllm(worked_plan("1f1b")) == "VLLM_PP_LAYER_PARTITION=5,6,7,6");
  CHECK(as_vllm(transformer_plan({12})) == "VLLM_PP_LAYER_PARTITION=12");
}

TEST_CASE("what vLLM and SGLang cannot express") {
  for (const auto write : {as_vllm, as_sglang}) {
    CHECK_THROWS_WITH_AS((void)write(transformer_plan({1, 1, 1, 1}, 2)), Contains("2 stages on every device"),
                         not_representable);
    CHECK_THROWS_WITH_AS((void)write(transformer_plan({1, 0, 1})), Contains("stage 1 has no layer of kind \"decoder\""),
                         not_representable);
    auto p = worked_plan();
    p.profile.layers[8].kind = "mtp";
    CHECK_THROWS_WITH_AS((void)write(p),
                         Contains("layer \"layers.7\" of kind \"mtp\" on stage 1, and its place is stage 3, the last"),
                         not_representable);
    p.profile.layers[8].kind = "embedding";
    CHECK_THROWS_WITH_AS((void)write(p), Contains("on stage 1, and its place is stage 0, the first"),
                         not_representable);
    p.profile.layers[8].kind = "norm";
    CHECK_THROWS_WITH_AS((void)write(p), Contains("on stage 1, and its place is stage 3, the last"), not_representable);
    p = worked_plan();
    p.stages[1].device = 0;
    CHECK_THROWS_WITH_AS((void)write(p), Contains("stage 1 stands on device 0"), not_representable);
  }
  CHECK_THROWS_WITH_AS((void)as_vllm(transformer_plan({1, 0})), Contains("vllm cannot express"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_sglang(transformer_plan({1, 0})), Contains("sglang cannot express"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_vllm(inconsistent()), Contains("io::as_vllm: plan.stages"), stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)as_sglang(inconsistent()), Contains("io::as_sglang: plan.stages"),
                       stagecut::argument_error);
}
