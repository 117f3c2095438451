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

/// What the stages of a partition take, by plain sums over its operators in their order.
///
/// @param graph     what the operators take
/// @param stage_of  of every operator, from 0
/// @param kinds     of every stage: 0 on an accelerator, else on a CPU
/// @param options   how a load is reckoned
/// @return          of every stage. A message is counted once for every stage that sends or receives it: once for each
///                  producer, however many consume what it puts out. O(n + m k)
/// @pre             every stage is below `kinds.size()`
[[nodiscard]] STAGECUT_DECL std::vector<graph_stage> stage_figures(const operator_graph& graph,
                                                                   const std::vector<std::size_t>& stage_of,
                                                                   const std::vector<std::uint8_t>& kinds,
                                                                   const load_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/stage_figures.ipp>
#endif
