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

/// What planners choose for one model on one machine: each minimises its own measure among its own choices, and all plans
/// are simulated alike, with messages, replicas and the exchange of gradients.
///
/// @param model    as for `plan_hybrid`
/// @param request  likewise; every planner keeps to its memory, counted as it is, so that its plan can be run, and has its
///                 limits
/// @param own      the plan of least iteration, as `plan_hybrid` has it; where one of the others ends earlier, that is taken
/// @return         PipeDream's, DAPPLE's, Piper's and Alpa's choice, and that of the least iteration, in this order. The first two
///                 know no tensor parallelism and no recomputation, Alpa no recomputation
/// @throws         as `plan_hybrid`
///
/// They are the published objectives and choices of those planners in this library's model of a machine: PipeDream's row is what
/// its planner returns for nested machines, placed on one device after the other, and, where that cannot be run, the least by its
/// formula, as Piper's is, see `stage_measure`; DAPPLE's and Alpa's are the least by theirs.
///
/// Source: D. Narayanan et al., SOSP 2019; S. Fan et al., PPoPP 2021; J. M. Tarnawski et al., NeurIPS 2021; L. Zheng et al.,
/// OSDI 2022.
[[nodiscard]] STAGECUT_DECL std::vector<compared_hybrid> compare_hybrids(const profile& model,
                                                                         const hybrid_plan_request& request,
                                                                         outcome<plan> own);
/// The same, which makes that plan, too, from what the others found and within what these leave of the limits, each a tenth of
/// them at most.
[[nodiscard]] STAGECUT_DECL std::vector<compared_hybrid> compare_hybrids(const profile& model,
                                                                         hybrid_plan_request request);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/compare_hybrids.ipp>
#endif
