// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/check_target.hpp>

#include <doctest/doctest.h>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::not_representable;
using stagecut::target;
namespace detail = stagecut::io::detail;

TEST_CASE("each check of a target names the place") {
  const auto check = [](target to, const stagecut::plan& p) { detail::check_target("as_x", to, p); };
  auto p = worked_plan("gpipe");
  CHECK_NOTHROW(check(target::torchgpipe, p));
  CHECK_NOTHROW(check(target::torchgpipe, worked_plan()));
  CHECK_THROWS_WITH_AS(check(target::deepspeed, p),
                       "deepspeed cannot say this plan: its schedule is \"gpipe\", and the only one there is \"1f1b\"",
                       not_representable);
  p.schedule.name = "zb-h1";
  CHECK_THROWS_WITH_AS(
      check(target::alpa, p),
      "alpa cannot say this plan: its schedule is \"zb-h1\", and those there are \"1f1b\" and \"gpipe\"",
      not_representable);
  p = worked_plan("gpipe");
  p.stages[2].device = 3;
  CHECK_THROWS_WITH_AS(check(target::torchgpipe, p),
                       "torchgpipe cannot say this plan: stage 2 stands on device 3, and its place is device 2",
                       not_representable);

  const auto two = transformer_plan({1, 1, 1, 1}, 2);
  CHECK_NOTHROW(check(target::megatron, two));
  CHECK_THROWS_WITH_AS(check(target::alpa, two), Contains("2 stages on every device, and it knows only one"),
                       not_representable);
  p = two;
  p.schedule.name = "1f1b";
  CHECK_THROWS_WITH_AS(check(target::megatron, p), Contains("with several stages on a device"), not_representable);
}

TEST_CASE("stages stand where their schedule has them") {
  auto p = transformer_plan({1, 1, 1, 1}, 2);
  CHECK_NOTHROW(detail::check_placement("f", p));
  p.schedule.name = "zbv";
  CHECK_THROWS_WITH_AS(detail::check_placement("f", p),
                       "f cannot say this plan: stage 2 stands on device 0, and its place is device 1",
                       not_representable);
  p.stages[2].device = 1;
  p.stages[3].device = 0;
  CHECK_NOTHROW(detail::check_placement("f", p));
  p.schedule.name = "interleaved";
  CHECK_THROWS_WITH_AS(detail::check_placement("f", p), Contains("stage 2 stands on device 1"), not_representable);
}

TEST_CASE("those that count decoders have what is in front on the first stage, and what is behind on the last") {
  const auto check = [](const std::vector<const char*>& kinds, const stagecut::cuts& cuts) {
    std::vector<stagecut::layer> layers;
    for (const char* const kind : kinds) layers.push_back(layer_of("x", kind));
    detail::check_target("as_x", target::vllm, plan_of(layers, cuts));
  };
  CHECK_NOTHROW(check({"embedding", "embedding", "decoder", "decoder", "norm", "head"}, {0, 3, 6}));
  CHECK_NOTHROW(check({"vision_embedding", "vision", "projector", "embedding", "decoder", "decoder"}, {0, 5, 6}));
  CHECK_NOTHROW(check({"encoder", "encoder"}, {0, 1, 2}));  // alone, they are what is counted
  CHECK_NOTHROW(check({"decoder", "decoder"}, {0, 1, 2}));
  CHECK_THROWS_WITH_AS(check({"decoder", "embedding", "decoder"}, {0, 1, 3}),
                       Contains("layer \"x\" of kind \"embedding\" on stage 1, and its place is stage 0, the first"),
                       not_representable);
  CHECK_THROWS_WITH_AS(check({"vision", "decoder", "decoder", "vision"}, {0, 2, 4}),
                       Contains("layer \"x\" of kind \"vision\" on stage 1"), not_representable);
  for (const char* const kind : {"norm", "head", "mtp"}) {
    CHECK_THROWS_WITH_AS(check({"decoder", kind, "decoder"}, {0, 2, 3}),
                         Contains("on stage 0, and its place is stage 1, the last"), not_representable);
  }
  for (const char* const kind : {"Conv2d", ""}) {
    CHECK_THROWS_WITH_AS(check({"decoder", kind}, {0, 2}), Contains("kinds known to it are vision_embedding, vision"),
                         not_representable);
  }
  CHECK_THROWS_WITH_AS(check({"embedding", "decoder", "head"}, {0, 1, 3}),
                       Contains("stage 0 has no layer of kind \"decoder\""), not_representable);
  CHECK_THROWS_WITH_AS(check({"embedding", "head"}, {0, 2}), Contains("stage 0 has no layer"), not_representable);
}
