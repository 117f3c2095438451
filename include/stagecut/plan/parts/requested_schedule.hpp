// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The kind of schedule that a request means.
[[nodiscard]] inline schedule_kind requested_kind(const plan_request& request) {
  const schedule_entry& entry = entry_of(request.schedule);
  if (!request.in_flight.empty() || request.best_in_flight) return entry.with_in_flight;
  if (request.slices > 1) return schedule_kind::sliced;
  return request.stages_per_rank > 1 ? entry.with_stages_per_rank : entry.kind;
}

/// Whether a schedule with that many stages per rank takes a microbatch group.
[[nodiscard]] constexpr bool takes_group(schedule_kind kind, std::size_t chunks) {
  return chunks > 1 && entry_of(kind).takes == shape_figure::group;
}

/// Whether the schedule of a request is found together with its cut.
[[nodiscard]] inline bool finds_order(const plan_request& request) {
  return request.schedule == schedule_kind::synthesized || request.best_in_flight;
}

/// The schedule that a request means.
[[nodiscard]] inline schedule schedule_of_request(const plan_request& request) {
  schedule_shape shape;
  shape.ranks = request.devices;
  shape.stages_per_rank = request.stages_per_rank;
  shape.microbatches = request.microbatches;
  shape.group = request.group;
  shape.slices = request.slices;
  shape.in_flight = request.in_flight;
  return make_schedule(detail::requested_kind(request), shape);
}

/// The device of each stage of a request, even if its microbatches are not known.
[[nodiscard]] inline std::vector<std::size_t> placement_of(const plan_request& request) {
  const bool vee = entry_of(detail::requested_kind(request)).v_shaped;
  return vee ? v_placement(request.devices) : loop_placement(request.devices, request.stages_per_rank);
}

/// Whether a request keeps recomputed activations from I to W: memory is not computed for that.
[[nodiscard]] inline bool recomputes_apart(const plan_request& request) {
  return request.memory_accounting.checkpoint == checkpointing::always &&
         entry_of(detail::requested_kind(request)).splits_backward;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
