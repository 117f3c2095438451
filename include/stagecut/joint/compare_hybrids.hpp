// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/compared_hybrid.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Compares planners for one model on one machine: each minimises its own objective over its own choices, and all plans
/// are simulated in the same way, with messages, replicas and the gradient exchange.
///
/// @param model    as for `plan_hybrid`
/// @param request  as for `plan_hybrid`; every planner keeps to its memory, counted as the simulation counts it, so
///                 that its plan can run, and has a tenth of its limits. Without limits each searches until its
///                 plan is proved
/// @param own      the plan of `plan_hybrid` for the shortest iteration; replaced by the plan of another planner if
///                 that finishes earlier
/// @return         the plans of PipeDream, DAPPLE, Piper and Alpa, then the one for the shortest iteration, in this
///                 order. The first two have no tensor parallelism and no recomputation, Alpa no recomputation
/// @throws         as `plan_hybrid`
///
/// They are the published objectives and choices of those planners in this library's model of a machine. PipeDream's
/// row is the plan of its planner for nested machines, placed on consecutive devices, and, where that cannot run, the
/// optimum of its formula, as Piper's is, see `stage_measure`; DAPPLE's and Alpa's rows are the optima of theirs.
///
/// Source: D. Narayanan et al., SOSP 2019; S. Fan et al., PPoPP 2021; J. M. Tarnawski et al., NeurIPS 2021; L. Zheng et al.,
/// OSDI 2022.
[[nodiscard]] STAGECUT_DECL std::vector<compared_hybrid> compare_hybrids(const profile& model,
                                                                         const hybrid_plan_request& request,
                                                                         outcome<plan> own);
/// The same, but also makes `own`, starting from what the others found, within the limits they leave; each of them
/// takes at most a tenth.
[[nodiscard]] STAGECUT_DECL std::vector<compared_hybrid> compare_hybrids(const profile& model,
                                                                         hybrid_plan_request request);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/compare_hybrids.ipp>
#endif
