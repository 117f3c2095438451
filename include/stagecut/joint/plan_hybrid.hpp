// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Plans a chain or a graph of layers on the devices of a machine: the layers of every stage, its replicas and
/// tensor-parallel degree, and the recomputation and sharding of its layers, so that no device exceeds its memory and
/// an iteration, with the gradient exchange, finishes as early as possible.
///
/// @param model    a chain, such as `as_chain` makes, or a graph, as `graph_stages` takes it; its layers may have
///                 `recomputations` and `shardings`
/// @param request  the machine, the allowed replicas and tensor-parallel degrees, microbatches, memory
/// @return         as `minimize_hybrid`, `minimize_stage_time` or `minimize_pipeline_latency`, depending on `objective`;
///                 the plan's `devices` are its stages, each on `replicas * shards` devices of the machine
/// @throws         argument_error for an invalid request, and for a model without times; invalid_input as
///                 `profile_options`; not_representable for a model, or choices, that the framework that runs the plan
///                 cannot express at all
///
/// Schedules are 1F1B. Without a limit it is exact where `profile_options::is_whole`, except with `length.all_reduce`,
/// which may favour a slower mixture; otherwise the search runs twice, and the bound is for optimistic options, each as
/// good as several. Limits of time and nodes cover all searches together; with node limits alone the plan is
/// deterministic. The search for the iteration starts from the best plan of the planners of `compare_hybrids`, each of
/// which takes at most a tenth of the limits or, without limits, a million nodes.
///
/// The plan of a graph has an edge from each stage to the next, with every tensor that crosses there: stages forward
/// what passes through them, and the bound is for such pipelines. If the graph has more than 5000 order ideals, only
/// the cuts of some linear orders are searched, and the bound is the work of all layers; such a plan of another
/// objective has no bound.
[[nodiscard]] STAGECUT_DECL outcome<plan> plan_hybrid(const profile& model, const hybrid_plan_request& request);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/plan_hybrid.ipp>
#endif
