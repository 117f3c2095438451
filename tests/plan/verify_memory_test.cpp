// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>

#include <cstddef>
#include <optional>

#include "known_profile.hpp"
#include "plan_checks.hpp"

using plan_checks::breaks;
using plan_checks::plan_by_hand;
using plan_checks::said;
using stagecut::plan;
using stagecut::profile;
using stagecut::verify_plan;

TEST_CASE("a device holds what its stages hold at the same time") {
  // Interleaved: stages 0 and 2 on device 0, of activations 3 a layer.
  profile model = known_profile::known;
  const auto found =
      stagecut::make_plan(model, {.devices = 2, .chunks = 2, .microbatches = 4, .memory_per_device = 1e6});
  REQUIRE(found);
  plan made = *found;
  const auto memory = verify_plan(model, made).find("memory")->recomputed;
  REQUIRE(memory);
  made.memory.per_device = *memory;
  CHECK(verify_plan(model, made).holds());
  made.memory.per_device = *memory - 1;
  CHECK(breaks(model, made, "memory"));
}

TEST_CASE("parameters that are shared count once on a stage, as its first layer says") {
  plan made = plan_by_hand();
  for (std::size_t i : {0U, 2U, 6U}) {
    made.profile.layers[i].tied.push_back({"t", 7, i == 0 ? std::optional(30.0) : std::nullopt});
  }
  const profile model = made.profile;
  made.memory = {"as profiled", 4, "never", 0, {}, 0};
  for (std::size_t s = 0; s < 3; ++s) {
    const auto count = static_cast<double>(made.cuts.stage(s).size());
    made.stages[s].in_flight = 1;
    made.stages[s].memory = {count * 40, count * 3, 0, 0, 0};
  }
  made.stages[0].memory.resident += 30;
  made.stages[2].memory.resident += 4 * 7;
  CHECK(said(model, made, "memory") == "holds: : ");
  made.memory.optimizer = "adam";  // by the multiplier alone
  made.stages[0].memory.resident += 4 * 7 - 30;
  CHECK(said(model, made, "memory") == "holds: : ");
  made.stages[0].memory.resident += 4 * 7;
  CHECK(said(model, made, "memory") == "does not hold: stage 0: resident is not that of its layers");
  CHECK(said(model, made, "tied") == "holds: : ");  // replicated
}
