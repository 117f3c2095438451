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

/// Cuts a graph of operators into the stages of a pipeline, one on each device: as `minimize_load`, so that the heaviest
/// is as light as possible, or, where the objective is the makespan, as `minimize_graph_makespan`, which chooses how many
/// microbatches each stage lets in as well. An objective that is not said means the makespan wherever it is known: of the
/// `microbatches` of 1F1B, one stage on each of devices that are alike, without CPUs, by time, and no method of the load
/// asked for. Where the method is `communication`, as `minimize_communication`, so that least is handed over.
/// With `chunks` above 1, as `virtual_stages`, several chunks on each device.
///
/// @param model    a graph; a chain is one, too. Its `machine` tells links and memory where the request does not
/// @param request  the devices (`devices`, `cpus`, `at_most`), `memory_per_device`, one link for all, `speeds`, `method`,
///                 `limits.time_limit`, `limits.node_limit`, `limits.stop` and how memory is reckoned. A node is a
///                 simulation for the makespan, a round of `load_limits` for the load or for chunks, and a partial
///                 placement of the exact search for the communication. With nodes alone the plan is the same on every
///                 machine, and the search ends after as much work.
///                 Messages and work go together as `transfers` says: one after the other if they block, or if the
///                 request has no link, messages that have latency alone not at all, others at the same time. The other
///                 objectives are of chains; schedules but 1F1B and GPipe of stages in a row, which `make_plan` plans
/// @return         as these; the plan has an edge for every two stages that speak, and predicts the iteration
///                 where the microbatches are known and no stage is on a CPU; of chunks no schedule is known, so they
///                 have none, and no iteration is predicted
/// @throws         argument_error for a request that makes no sense, or not for graphs; invalid_input as `graph_of` and
///                 `contraction`, with the layer
inline constexpr plan_graph_fn plan_graph{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/plan_graph.ipp>
#endif
