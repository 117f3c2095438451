// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/makespan_obstacle.hpp>

#include <doctest/doctest.h>

#include <cstddef>

#include "known_profile.hpp"

using known_profile::chain_of;
using known_profile::known;
using stagecut::checkpointing;
using stagecut::makespan_obstacle;
using stagecut::measure;
using stagecut::plan_request;
using stagecut::prediction_obstacle;
using stagecut::schedule_kind;

TEST_CASE("what has no makespan to be minimised") {
  CHECK(makespan_obstacle(known, {.devices = 2, .microbatches = 4}).empty());
  CHECK(makespan_obstacle(known, {.devices = 2}) == "the number of microbatches is not known");
  CHECK(makespan_obstacle(known, {.devices = 2, .microbatches = 4, .by = measure::parameters}) ==
        "stages are measured by something else than time");
  CHECK(makespan_obstacle(chain_of({0, 0}), {.devices = 2, .microbatches = 4}) == "no layer has a time");
  plan_request last{.devices = 2, .microbatches = 4, .schedule = schedule_kind::gpipe};
  last.memory_accounting.checkpoint = checkpointing::except_last;
  CHECK(makespan_obstacle(known, last) == "the last microbatch takes less time than the others");
  CHECK(makespan_obstacle(known, {.devices = 2, .microbatches = (std::size_t{1} << 19U) + 1}) ==
        "there are more than 2^20 forward passes");
  CHECK(makespan_obstacle(known, {.devices = 0, .microbatches = 4}) == "there is no device, or no stage on it");
  CHECK(makespan_obstacle(chain_of({0, 0}), {.devices = 2, .microbatches = std::size_t{1} << 20U}) ==
        "no layer has a time");
}

TEST_CASE("how many forward passes are predicted") {
  const auto too_many = "there are more than 2^20 forward passes";
  CHECK(prediction_obstacle({.devices = 4, .microbatches = 1}).empty());
  CHECK(prediction_obstacle({.devices = 4}) == "the number of microbatches is not known");
  CHECK(prediction_obstacle({.devices = 4, .microbatches = std::size_t{1} << 18U}).empty());
  CHECK(prediction_obstacle({.devices = 4, .microbatches = (std::size_t{1} << 18U) + 1}) == too_many);
  CHECK(prediction_obstacle({.devices = 4, .microbatches = std::size_t{1} << 18U, .stages_per_rank = 2}) == too_many);
  CHECK(prediction_obstacle({.devices = 0, .microbatches = 1}) == "there is no device, or no stage on it");
  CHECK(prediction_obstacle({.devices = 1, .microbatches = 1, .stages_per_rank = 0}) ==
        "there is no device, or no stage on it");
}
