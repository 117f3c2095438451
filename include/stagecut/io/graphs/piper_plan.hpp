// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for such a graph in Piper's format.
///
/// @return  `{"stages": [{"nodes": [ID, ...], "dataParallelDegree": ..., "tensorParallelDegree": ..., "TMPCids": [[ID,
///          VARIANT], ...]}, ...]}`, one stage per line
/// @throws  argument_error for a stage with a layer or variant that the graph lacks, and for a name that is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_piper_plan(const variant_graph& graph,
                                                      const std::vector<variant_stage>& stages);

/// Any plan in Piper's format: layers by number, with their variant: the name of the sharding or recomputation, or
/// `vanilla` for the profiled figures.
///
/// @return  as `as_piper_plan`
/// @throws  argument_error if the parts of the plan contradict each other, or a name is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_piper(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/piper_plan.ipp>
#endif
