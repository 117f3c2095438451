// SPDX-License-Identifier: BSL-1.0
#include "options/target_flags.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace {

using stagecut::framework;
using stagecut::schedule_kind;

stagecut::profile transformer() {
  stagecut::profile model;
  for (const char* const kind : {"embedding", "decoder", "decoder", "head"}) {
    auto& each = model.layers.emplace_back();
    each.name = "l" + std::to_string(model.layers.size());
    each.kind = kind;
    each.forward = 1, each.backward = 2;
  }
  return model;
}

/// The target that words ask for.
framework asked(const std::string& name, const std::string& format, stagecut::plan_request request = {},
                bool said = false) {
  target_flags{name}.ask(transformer(), format, said, false, false, request);
  return request.target;
}

}  // namespace

TEST_CASE("a framework is said by its name, or by its format, where the plan is one of a chain") {
  CHECK(asked("megatron", "") == framework::megatron);
  CHECK(asked("", "vllm") == framework::vllm);
  CHECK(asked("vllm", "vllm") == framework::vllm);
  CHECK(asked("megatron", "json") == framework::megatron);
  CHECK(asked("", "") == framework::none);
  CHECK(asked("", "json") == framework::none);
  stagecut::plan_request graph;
  graph.cpus = 1;
  CHECK(asked("", "vllm", graph) == framework::none);
  CHECK_THROWS_WITH_AS((void)asked("vllm", "", graph), "--for: is for chains only, and this is planned as a graph",
                       CLI::ValidationError);
  CHECK_THROWS_WITH_AS((void)asked("megatron", "vllm"), "--format: vllm is of another framework than --for megatron",
                       CLI::ValidationError);
}

TEST_CASE("a schedule that was said is refused at once where the framework has none") {
  stagecut::plan_request zero_bubble;
  zero_bubble.schedule = schedule_kind::zb_h1;
  CHECK_THROWS_WITH_AS((void)asked("megatron", "", zero_bubble, true),
                       doctest::Contains("it is zb-h1, and it runs 1f1b, interleaved"), stagecut::not_representable);
  CHECK(asked("pytorch", "", zero_bubble, true) == framework::pytorch);
  CHECK(asked("megatron", "", zero_bubble, false) == framework::megatron);  // it is looked at with all the others
}

TEST_CASE("those that serve") {
  CHECK(target_flags{"vllm"}.serves(""));
  CHECK(target_flags{}.serves("sglang"));
  CHECK_FALSE(target_flags{"megatron"}.serves("vllm"));
  CHECK_FALSE(target_flags{}.serves("json"));
  CHECK_FALSE(target_flags{}.serves(""));
}

TEST_CASE("what to tell the framework, and which version of it") {
  stagecut::plan made;
  made.profile = transformer();
  made.cuts = {0, 2, 4};
  made.devices = 2;
  made.stages.resize(2);
  made.stages[1].device = 1;
  CHECK(target_flags{"vllm"}.text_of(made) ==
        "for vLLM (" + std::string(stagecut::entry_of(framework::vllm).version) + "):\nVLLM_PP_LAYER_PARTITION=1,1\n");
  CHECK(target_flags{}.text_of(made) == "");
}

TEST_CASE("a name that is none is told") {
  CLI::App app;
  target_flags words;
  words.add(app);
  app.parse("--for megatron");
  CHECK(words.name == "megatron");
  CHECK_THROWS_AS(app.parse("--for megatorn"), CLI::ValidationError);
}
