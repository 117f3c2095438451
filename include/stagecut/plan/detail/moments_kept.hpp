// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/engine/order_moments.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What every stage of a request holds at the decisive moments.
///
/// @param in_flight  the most microbatches in flight, for each stage
[[nodiscard]] inline std::vector<stage_moments> moments_kept(const profile& model, const plan_request& request,
                                                             const std::vector<std::size_t>& in_flight) {
  bool recomputes = false;
  for (const auto& layer : model.layers) recomputes = recomputes || layer.recomputed > 0;
  const schedule_entry& entry = entry_of(requested_kind(request));
  if (!recomputes || !entry.splits_backward || in_flight.empty()) return moments_of(in_flight);
  plan_request asked = request;
  // If microbatches are not known, take enough that more of them add no further moments.
  if (asked.microbatches == 0) asked.microbatches = 4 * request.devices * request.stages_per_rank;
  if (!has_shape(entry.kind, asked.devices, asked.stages_per_rank, asked.microbatches, asked.group))
    return moments_of(in_flight);
  return engine::moments_of(schedule_of_request(asked));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
