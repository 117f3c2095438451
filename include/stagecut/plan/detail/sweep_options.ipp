// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/sweep_options.hpp>

#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/sweep_row.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL plan_request request_of_row(const plan_request& request, const sweep_row& row,
                                          const sweep_options& options) {
  plan_request result = request;
  result.devices = row.devices;
  result.microbatches = row.microbatches;
  result.schedule = row.schedule;
  result.chunks = row.chunks;
  if (!detail::takes_group(row.schedule, row.chunks)) result.group = 0;
  result.memory.checkpoint = row.checkpoint;
  result.limits = {options.time_limit, options.node_limit, options.stop, {}};
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
