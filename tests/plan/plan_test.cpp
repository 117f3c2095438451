// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan.hpp>

#include <doctest/doctest.h>

TEST_CASE("a stage's memory is the sum of its parts") {
  constexpr stagecut::stage_memory memory{1, 20, 300, 4000};
  CHECK(memory.total() == 4321);
  CHECK(stagecut::stage_memory{}.total() == 0);
}

TEST_CASE("plans are equal if all of their parts are") {
  stagecut::plan made;
  made.cuts = {0, 1};
  made.devices = 1;
  made.stages.resize(1);
  stagecut::plan other = made;
  CHECK(other == made);
  other.stages[0].memory.buffers = 1;
  CHECK(other != made);
  other = made;
  other.makespan = 0;
  CHECK(other != made);
  other = made;
  other.timeline.push_back({0, 0, stagecut::op_kind::backward, 1, 2});
  CHECK(other != made);
  other = made;
  other.profile.layers.emplace_back();
  CHECK(other != made);
}
