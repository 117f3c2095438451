// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `plan_graph`.
struct plan_graph_fn {
  /// See `plan_graph`.
  [[nodiscard]] outcome<plan> operator()(const profile& model, const plan_request& request) const;
};

/// Cuts a graph of operators into pipeline stages, one per device: by `minimize_load` for the smallest bottleneck or,
/// if the objective is the makespan, by `minimize_graph_makespan`, which also chooses how many microbatches each stage
/// admits. The default objective is the makespan where it is known: `microbatches` of 1F1B, one stage on each of
/// identical devices, no CPUs, times given, and no load method requested. The method `communication` uses
/// `minimize_communication` for the least communication. `stages_per_rank` above 1 uses `virtual_stages`, several
/// stages per device.
///
/// @param model    a graph; a chain counts as one. Its `machine` supplies links and memory where the request does not
/// @param request  the devices (`devices`, `cpus`, `at_most`), `memory_limit`, one link for all, `speeds`,
///                 `method`, `search.time_limit`, `search.node_limit`, `search.stop` and how memory is computed. A node
///                 is a simulation for the makespan, a round of `search_options` for the load, and a partial
///                 placement of the exact search for the communication. With a node limit alone the plan is the same on
///                 every machine, and the search ends after the same work.
///                 `transfers` decides how messages and work combine: one after the other if they block, or if the
///                 request has no link; not at all if messages have latency alone; at the same time otherwise. The
///                 other objectives are for chains; schedules other than 1F1B and GPipe need stages in a row, which
///                 `make_plan` plans
/// @return         as these; the plan has an edge for every two communicating stages, and predicts the iteration if the
///                 microbatches are known and no stage is on a CPU; several stages of a device have no known schedule,
///                 so neither a schedule nor an iteration is predicted
/// @throws         argument_error for an invalid request, or one not for graphs; invalid_input as `graph_of` and
///                 `contraction`, with the layer
inline constexpr plan_graph_fn plan_graph{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/plan_graph.ipp>
#endif
