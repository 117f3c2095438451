// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/formats.hpp>

#include <doctest/doctest.h>

#include <string>

#include "worked_plan.hpp"

using stagecut::io::find_format;
using stagecut::io::formats;

TEST_CASE("formats are found by name") {
  for (const auto& format : formats) {
    CHECK(find_format(format.name) == &format);
    CHECK(!format.describes.empty());
  }
  CHECK(find_format("") == nullptr);
  CHECK(find_format("Megatron") == nullptr);
  CHECK(find_format("vllm")->write(worked_plan()) == "VLLM_PP_LAYER_PARTITION=5,6,7,6");
  CHECK(find_format("fairscale")->write(worked_plan()) == "balance=[6, 6, 7, 7]");
  CHECK(find_format("pytorch")->write(worked_plan()).starts_with("split_spec="));
  CHECK(find_format("dot")->write(worked_plan()).starts_with("digraph"));
  CHECK(find_format("stage-map")->write(worked_plan()).starts_with("{"));
  CHECK(find_format("split-module")->write(worked_plan()).starts_with("stage_of = "));
}

TEST_CASE("all but Megatron-LM's flags say the worked example, on full lines") {
  for (const auto& format : formats) {
    CAPTURE(format.name);
    if (format.name == "megatron-flags") {
      CHECK_THROWS_AS((void)format.write(worked_plan()), stagecut::io::not_representable);
    } else {
      const std::string text = format.write(worked_plan());
      CHECK(!text.empty());
      CHECK(text.back() != '\n');
    }
  }
}

TEST_CASE("a refusal names the format that was asked for, and no format takes parts that do not belong together") {
  auto p = worked_plan();
  p.profile.layers[1].name = p.profile.layers[2].name = "";
  p = tied(p);
  p.profile.layers[1].kind = "?";
  for (const auto& format : formats) {
    CAPTURE(format.name);
    CHECK_THROWS_AS((void)format.write(inconsistent()), stagecut::argument_error);
    try {
      (void)format.write(p);
      const bool takes_all =
          format.any_plan || format.name == "deepspeed" || format.name == "alpa" || format.name == "pipedream";
      CHECK(takes_all);
    } catch (const stagecut::io::not_representable& error) {
      CHECK(error.format() == format.name);
    }
  }
}
