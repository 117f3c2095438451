// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A request with the fields it omits taken from the profile's machine. Its messages are added to the work if loads
/// count.
[[nodiscard]] inline plan_request with_machine(const profile& model, plan_request request) {
  const stated_machine& machine = model.machine;
  if (!request.memory_limit) request.memory_limit = machine.memory;
  if (!machine.buffers) request.memory_accounting.boundary_buffers = 0;
  if (!request.links.empty() || request.topology || !machine.link) return request;
  request.links = {*machine.link};
  const bool makespan = request.objective == plan_objective::makespan ||
                        (request.objective == plan_objective::automatic && makespan_obstacle(model, request).empty());
  if (!makespan) request.transfers = transfer_kind::blocking;
  return request;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
