// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/target.hpp>

#include <stagecut/plan/plan_request.hpp>

#include <doctest/doctest.h>

TEST_CASE("what a row does not say forbids nothing") {
  const stagecut::target_entry entry;
  CHECK(entry.kind == stagecut::framework::none);
  CHECK(entry.shared == stagecut::tie_rule::anywhere);
  CHECK(entry.counts == stagecut::decoder_counts::none);
  CHECK(entry.names == stagecut::name_rule::none);
  const stagecut::kind_rule rule{"decoder", 1};
  CHECK(rule.place == stagecut::layer_place::any_stage);
  CHECK_FALSE(rule.single);
  CHECK_FALSE(rule.needed);
  const stagecut::target_schedule schedule;
  const bool always = schedule.obstacle == nullptr && schedule.named == nullptr;
  CHECK(always);
  CHECK(stagecut::plan_request{}.target == stagecut::framework::none);
}
