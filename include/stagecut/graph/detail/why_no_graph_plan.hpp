// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// On which stages elements may stand, by what is fixed of them and of those before and behind them.
struct stage_ranges {
  std::vector<std::size_t> least{};
  std::vector<std::size_t> most{};
  std::vector<bool> pinned{};  ///< of every stage, whether some element must stand there
  std::string conflict{};      ///< why there is no plan; empty: there may be one

  stage_ranges(const operator_graph& graph, const contraction& elements, std::size_t stages);
};

/// Why there is no plan that keeps to memory, devices and stages, if that is plain.
[[nodiscard]] STAGECUT_DECL std::optional<reason> why_no_graph_plan(const operator_graph& graph,
                                                                    const contraction& elements,
                                                                    const graph_makespan_request& request,
                                                                    const stage_ranges& ranges);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/why_no_graph_plan.ipp>
#endif
