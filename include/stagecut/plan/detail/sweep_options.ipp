// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/sweep_options.hpp>

#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/sweep_row.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL plan_request request_of_row(const plan_request& request, const sweep_row& row) {
  plan_request result = request;
  result.devices = row.devices;
  result.microbatches = row.microbatches;
  result.schedule = row.schedule;
  result.stages_per_rank = row.stages_per_rank;
  if (!detail::takes_group(row.schedule, row.stages_per_rank)) result.group = 0;
  result.memory_accounting.checkpoint = row.checkpoint;
  if (!result.search.time_limit && !result.search.node_limit) result.search.node_limit = usual_sweep_nodes;
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
