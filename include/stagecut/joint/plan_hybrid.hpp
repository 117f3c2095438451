// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Plans a chain or a graph of layers on the devices of a machine: which layers every stage has, on how many replicas of how many devices
/// it runs, and how its layers are recomputed and sharded, so that no device exceeds its memory and an iteration ends as
/// early as possible, gradients exchanged.
///
/// @param model    a chain, also as `as_chain` makes one, or a graph, as `graph_stages` takes it; its layers may have
///                 `recomputations` and `shardings`
/// @param request  the machine, the numbers of replicas and ways there may be, microbatches, memory
/// @return         as `minimize_hybrid`, `minimize_stage_time` or `minimize_pipeline_length`, of which `objective` tells; the
///                 plan's `devices` are its stages, each on `replicas * shards` devices of the machine
/// @throws         argument_error for a request that makes no sense, and for a model without times; invalid_input as
///                 `profile_options`; not_representable for a model, or choices, of which the framework that runs the
///                 plan can be told nothing
///
/// Schedules are 1F1B. Without a limit it is exact where `profile_options::is_whole`, but for `length.all_reduce`, which may favour
/// a slower mixture; else the bound is that of ways to run a stage which are as good as each of several, and the search is
/// made twice. Limits of time and of nodes are for all searches together; with nodes alone the plan is the same every time.
///
/// Of a graph the plan has an edge from each stage to the next, with all that crosses there: stages hand on what passes them,
/// and the bound is that of such pipelines. With more than 5000 sets of layers at which it may be cut only those of some orders are
/// looked at, and the bound is the work of all layers; such a plan of another objective has none.
[[nodiscard]] STAGECUT_DECL outcome<plan> plan_hybrid(const profile& model, const hybrid_plan_request& request);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/plan_hybrid.ipp>
#endif
