// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline v0::detail {

/// The schedule that a request means.
[[nodiscard]] inline schedule schedule_of_request(const plan_request& request) {
  schedule_kind kind = request.schedule;
  if (request.chunks > 1) kind = entry_of(kind).with_chunks;
  if (!request.in_flight.empty()) kind = schedule_kind::in_flight;
  schedule_shape shape;
  shape.ranks = request.devices;
  shape.chunks = request.chunks;
  shape.microbatches = request.microbatches;
  shape.in_flight = request.in_flight;
  return make_schedule(kind, shape);
}

/// Whether a request keeps what it computes again from I to W: memory is not reckoned for that.
[[nodiscard]] inline bool recomputes_apart(const plan_request& request) {
  return request.memory.checkpoint == checkpointing::always && request.in_flight.empty() &&
         entry_of(request.schedule).splits_backward;
}

}  // namespace stagecut::inline v0::detail
