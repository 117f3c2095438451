// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for such a graph as Piper writes it.
///
/// @return  `{"stages": [{"nodes": [ID, ...], "dataParallelDegree": ..., "tensorParallelDegree": ..., "TMPCids": [[ID,
///          VARIANT], ...]}, ...]}`, a stage a line
/// @throws  argument_error for a stage with a layer or variant that the graph has not, and for a name that is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_piper_plan(const variant_graph& graph,
                                                      const std::vector<variant_stage>& stages);

/// Any plan as Piper writes one: stages of layers by their numbers, and how each is run by the name of its sharding or
/// recomputation, or `vanilla` as it was profiled.
///
/// @return  as `as_piper_plan`
/// @throws  argument_error if the parts of the plan do not belong together, or a name is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_piper(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/piper_plan.ipp>
#endif
