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
      stagecut::make_plan(model, {.devices = 2, .microbatches = 4, .memory_limit = 1e6, .stages_per_rank = 2});
  REQUIRE(found);
  plan made = *found;
  const auto memory = verify_plan(model, made).find("memory")->recomputed;
  REQUIRE(memory);
  made.memory.memory_limit = *memory;
  CHECK(verify_plan(model, made).holds());
  made.memory.memory_limit = *memory - 1;
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
  CHECK(said(model, made, "memory") == "does not hold: stage 0: resident is not the sum over its layers");
  CHECK(said(model, made, "tied") == "holds: : ");  // replicated
}

TEST_CASE("a tensor that goes to several stages has one buffer, or one for each") {
  plan made;
  made.profile = known_profile::chain_of({8, 11, 2, 1});
  for (std::size_t i = 0; i < 4; ++i) made.profile.layers[i].output = 3 + 2 * static_cast<double>(i);
  made.profile.edges = {{0, 1}, {0, 2}, {0, 3}, {2, 3}};
  made.cuts = {0, 2, 3, 4};
  made.devices = 3;
  made.stages.resize(3);
  made.edges = {{0, 1, 3}, {0, 2, 3}, {1, 2, 7}};
  made.memory = {"adam", 4, "never", 2, {}, 0};
  for (std::size_t s = 0; s < 3; ++s) {
    made.stages[s].device = s;
    made.stages[s].in_flight = 1;
    made.stages[s].memory = {40, 3, 0, s == 0 ? 0 : 20.0, 0};
  }
  made.stages[0].memory.resident = 80;
  made.stages[0].memory.activations = 6;
  const auto with = [&](double sent) {
    made.stages[0].memory.buffers = 2 * sent;
    return said(made.profile, made, "memory");
  };
  CHECK(with(3) == "holds: : ");
  CHECK(with(6) == "holds: : ");
  CHECK(with(0) == "does not hold: stage 0: buffers are not those of its ends");
  CHECK(with(3 + 5) == "does not hold: stage 0: buffers are not those of its ends");
}

TEST_CASE("without an order a stage takes what its microbatches in flight take together") {
  plan made = plan_by_hand();
  made.memory = {"adam", 4, "except_last", 0, {}, 0};
  for (std::size_t s = 0; s < 3; ++s) {
    auto& stage = made.stages[s];
    const auto count = static_cast<double>(made.cuts.stage(s).size());
    stage.in_flight = 5;
    stage.memory = {count * 40, s == 0 ? 0.0 : 1.0, 0, 0, count * 3};
    stage.backward_kept = stage.backward;
    stage.backward += stage.forward;
  }
  CHECK(said(made.profile, made, "memory") == "holds: : ");
  CHECK(verify_plan(made.profile, made).find("memory")->recomputed == 3 * 40 + 4 * 1 + 3 * 3.0);
  made.memory.memory_limit = 132;
  CHECK(said(made.profile, made, "memory") == "does not hold: device 2: holds more than the limit");
  made.memory.memory_limit = std::vector<double>(made.devices, 1000);
  CHECK(said(made.profile, made, "memory") == "holds: : ");
  made.memory.memory_limit = {1000, 1000, 132, 1000};
  CHECK(said(made.profile, made, "memory") == "does not hold: device 2: holds more than the limit");
  made.memory.memory_limit = {1000, 1000};
  CHECK(said(made.profile, made, "memory") == "does not hold: device 2: has no limit, and others have");
}
