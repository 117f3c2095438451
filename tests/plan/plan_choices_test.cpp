// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan_choices.hpp>

#include <stagecut/plan/compare_plans.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "known_profile.hpp"

using known_profile::known;
using stagecut::schedule_kind;
using stagecut::schedules;
using stagecut::usual_choices;
using stagecut::usual_schedules;

namespace {

/// Whether a kind is among those.
bool has(const std::vector<schedule_kind>& kinds, schedule_kind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

}  // namespace

TEST_CASE("the usual schedules: no twins, none that asks for more, and I and W only where the model tells them apart") {
  stagecut::profile whole = known;
  whole.layers[2].backward_input.reset();
  whole.layers[2].backward_weight.reset();
  const auto all = usual_schedules(known);
  const auto some = usual_schedules(whole);
  for (const auto& entry : schedules) {
    CAPTURE(entry.name);
    CHECK(has(all, entry.kind) == (!entry.twin && !needs_more(entry)));
    CHECK(has(some, entry.kind) == (has(all, entry.kind) && !entry.splits_backward));
  }
  CHECK(std::is_sorted(all.begin(), all.end()));
  CHECK(has(some, schedule_kind::gpipe));
  CHECK(has(some, schedule_kind::interleaved));
  CHECK(has(all, schedule_kind::zb_h1));
  CHECK_FALSE(has(some, schedule_kind::zb_h1));
  for (const auto kind : {schedule_kind::gpipe_lifo, schedule_kind::in_flight, schedule_kind::sliced, schedule_kind::sapp_big}) {
    CHECK_FALSE(has(all, kind));
  }
}

TEST_CASE("the usual choices: one chunk and two, or those that were said") {
  CHECK(usual_choices(known).stages_per_rank == std::vector<std::size_t>{1, 2});
  CHECK(usual_choices(known, 3).stages_per_rank == std::vector<std::size_t>{3});
  CHECK(usual_choices(known).schedules == usual_schedules(known));
  const auto all = stagecut::compare_plans(known, {.devices = 2, .microbatches = 4}, usual_choices(known));
  REQUIRE(all.best);
  for (const auto& row : all.compared) {
    CHECK(has_shape(row.schedule, row.devices, row.stages_per_rank, row.microbatches));
  }
  std::size_t possible = 0;
  for (const auto kind : usual_schedules(known)) {
    for (const std::size_t chunks : {std::size_t{1}, std::size_t{2}}) possible += has_shape(kind, 2, chunks, 4) ? 1 : 0;
  }
  CHECK(all.compared.size() == possible);
  auto listed = usual_choices(known);
  listed.list_impossible = true;
  const auto with_others = stagecut::compare_plans(known, {.devices = 2, .microbatches = 4}, listed);
  CHECK(with_others.compared.size() == 2 * usual_schedules(known).size());
  CHECK(with_others.compared.size() > possible);
  CHECK(possible > usual_schedules(known).size() / 2);
  CHECK(*with_others.best == *all.best);
}
