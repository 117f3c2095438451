// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan_choices.hpp>

#include <stagecut/plan/compare_plans.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "known_profile.hpp"

using known_profile::known;
using stagecut::usual_choices;
using stagecut::usual_schedules;

namespace {

std::string names(const stagecut::profile& model) {
  std::string result;
  for (const auto kind : usual_schedules(model)) {
    result += to_string(kind);
    result += ' ';
  }
  return result;
}

}  // namespace

TEST_CASE("the usual schedules: no twins, and I and W only where the model tells them apart") {
  CHECK(names(known) == "gpipe 1f1b eager-1f1b in-flight interleaved looped-bfs zb-h1 zb-h2 interleaved-zb zbv dualpipev seq-1f1b ");
  stagecut::profile whole = known;
  whole.layers[2].backward_input.reset(), whole.layers[2].backward_weight.reset();
  CHECK(names(whole) == "gpipe 1f1b eager-1f1b in-flight interleaved looped-bfs seq-1f1b ");
}

TEST_CASE("the usual choices: one chunk and two, or those that were said") {
  CHECK(usual_choices(known).chunks == std::vector<std::size_t>{1, 2});
  CHECK(usual_choices(known, 3).chunks == std::vector<std::size_t>{3});
  CHECK(usual_choices(known).schedules == usual_schedules(known));
  const auto all = stagecut::compare_plans(known, {.devices = 2, .microbatches = 4}, usual_choices(known));
  REQUIRE(all.best);
  for (const auto& row : all.compared) {
    CHECK(has_shape(row.schedule, row.devices, row.chunks, row.microbatches));
  }
  CHECK(all.compared.size() == 10);
  auto listed = usual_choices(known);
  listed.list_impossible = true;
  const auto with_others = stagecut::compare_plans(known, {.devices = 2, .microbatches = 4}, listed);
  CHECK(with_others.compared.size() == 24);
  CHECK(*with_others.best == *all.best);
}
