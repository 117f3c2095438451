// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/requested_schedule.hpp>

#include <doctest/doctest.h>

#include <iterator>

using stagecut::checkpointing;
using stagecut::plan_request;
using stagecut::schedule_kind;
using stagecut::detail::recomputes_apart;
using stagecut::detail::requested_kind;
using stagecut::detail::schedule_of_request;

TEST_CASE("the kind that is meant: with several chunks, and with numbers in flight") {
  plan_request request{.devices = 2, .microbatches = 4};
  CHECK(requested_kind(request) == schedule_kind::one_forward_one_backward);
  request.stages_per_rank = 2;
  CHECK(requested_kind(request) == schedule_kind::interleaved);
  request.stages_per_rank = 1;
  request.in_flight = {2, 1};
  CHECK(requested_kind(request) == schedule_kind::in_flight);
  CHECK(requested_kind({.devices = 2, .microbatches = 4, .best_in_flight = true}) == schedule_kind::in_flight);
  int same = 0;
  for (const auto& entry : stagecut::schedules) {
    CAPTURE(entry.name);
    CHECK(requested_kind({.schedule = entry.kind}) == entry.kind);
    same += requested_kind({.schedule = entry.kind, .stages_per_rank = 2}) == entry.kind ? 1 : 0;
  }
  CHECK(same == static_cast<int>(std::size(stagecut::schedules)) - 1);  // of all but 1F1B
}

TEST_CASE("the schedule that is meant is made with the figures of the request") {
  plan_request request{.devices = 3, .microbatches = 6};
  CHECK(schedule_of_request(request) == stagecut::one_forward_one_backward(3, 6));
  request.in_flight = {4, 2, 1};
  CHECK(schedule_of_request(request) == stagecut::in_flight_order(request.in_flight, 6));
  request.in_flight.clear();
  request.stages_per_rank = 2;
  CHECK(schedule_of_request(request) == stagecut::interleaved_one_forward_one_backward(3, 2, 6));
  request.group = 6;
  CHECK(schedule_of_request(request) == stagecut::interleaved_one_forward_one_backward(3, 2, 6, 6));
  request.group = 0;
  request.schedule = schedule_kind::zbv;
  CHECK(schedule_of_request(request) == stagecut::zbv(3, 6));
  request.schedule = schedule_kind::gpipe;
  CHECK_THROWS_AS((void)schedule_of_request(request), stagecut::argument_error);
}

TEST_CASE("what is computed again stays from I to W where a schedule runs them apart, and all is computed again") {
  plan_request request{.devices = 2, .microbatches = 4, .schedule = schedule_kind::zb_h1};
  CHECK_FALSE(recomputes_apart(request));
  request.memory_accounting.checkpoint = checkpointing::always;
  CHECK(recomputes_apart(request));
  request.schedule = schedule_kind::one_forward_one_backward;
  CHECK_FALSE(recomputes_apart(request));
  request.in_flight = {2, 1};
  CHECK_FALSE(recomputes_apart(request));
}
