// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/json_stages.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>

namespace detail = stagecut::io::detail;

namespace {

/// Two stages of layers of 4 seconds back, of these 1 for the weights, and an output of 10.
stagecut::plan two_stages(const char* checkpoint) {
  stagecut::plan made;
  made.profile.layers.resize(3);
  for (auto& layer : made.profile.layers)
    layer.forward = 2, layer.backward = 4, layer.backward_weight = 1, layer.output = 10;
  made.cuts = {0, 2, 3};
  made.stages.resize(2);
  made.stages[1] = {1, 0, 2, 5, 4, {1, 100, 2, 3, 0}};
  made.memory.checkpoint = checkpoint;
  made.speeds = {1, 0.5};
  return made;
}

}  // namespace

TEST_CASE("a stage of the first version: of all microbatches in flight, of one") {
  stagecut::plan made = two_stages("never");
  REQUIRE_FALSE(detail::upgrade_stage(made, 1));
  CHECK(made.stages[1].memory == stagecut::planned_memory{1, 25, 2, 3, 0});
  CHECK(made.stages[1].total_memory() == 106);
  CHECK(made.stages[1].backward == 5);
  CHECK(made.stages[1].backward_weight == 2);
  CHECK_FALSE(made.stages[1].backward_kept.has_value());
  made = two_stages("always");
  REQUIRE_FALSE(detail::upgrade_stage(made, 1));
  CHECK(made.stages[1].memory == stagecut::planned_memory{1, 10, 2, 3, 60});
  CHECK(made.stages[1].total_memory() == 106);
  made = two_stages("except_last");
  REQUIRE_FALSE(detail::upgrade_stage(made, 1));
  CHECK(made.stages[1].memory == stagecut::planned_memory{1, 10, 2, 3, 70});
  CHECK(made.stages[1].total_memory() == 106);
  CHECK(made.stages[1].backward_kept == 8);
  CHECK(made.stages[1].backward == 10);
}

TEST_CASE("a stage of the first version of layers whose gradients take another time apart") {
  for (const auto& [checkpoint, input] : {std::pair("never", 20.0), std::pair("except_last", 22.0)}) {
    stagecut::plan made = two_stages(checkpoint);
    for (auto& layer : made.profile.layers) layer.backward_input = 10;
    REQUIRE_FALSE(detail::upgrade_stage(made, 1));
    CHECK(made.stages[1].backward_weight == 2);
    CHECK(made.stages[1].backward_input == input);
  }
}

TEST_CASE("a stage of the first version of which little is known") {
  stagecut::plan made = two_stages("");
  made.profile.layers[2].backward_weight.reset();
  made.stages[1].in_flight = 0;
  REQUIRE_FALSE(detail::upgrade_stage(made, 1));
  CHECK_FALSE(made.stages[1].backward_weight.has_value());
  CHECK(made.stages[1].total_memory() == 106);
  made = two_stages("except_last");
  made.stages[1].memory = {};
  made.profile.layers[2].backward = std::numeric_limits<double>::max();
  const auto fault = detail::upgrade_stage(made, 1);
  CHECK(fault.pointer == "/stages/1/backward");
  CHECK(fault.problem == "is out of range");
  CHECK(made.stages[1].memory == stagecut::planned_memory{});
}
