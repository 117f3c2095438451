// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The figures of a partition's stages, by plain sums over its operators in their order.
///
/// @param graph     the operators
/// @param stage_of  stage of each operator, from 0
/// @param kinds     for each stage: 0 on an accelerator, else on a CPU
/// @param options   how a load is computed
/// @return          for each stage. A message counts once for every stage that sends or receives it: once for each
///                  producer, regardless of how many operators consume its output. O(n + m k)
/// @pre             every stage is below `kinds.size()`
[[nodiscard]] STAGECUT_DECL std::vector<graph_stage> stage_figures(const operator_graph& graph,
                                                                   const std::vector<std::size_t>& stage_of,
                                                                   const std::vector<std::uint8_t>& kinds,
                                                                   const load_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/stage_figures.ipp>
#endif
