// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/refine_partition.hpp>

#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/detail/partition_refinement.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/refine_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<refined_partition> refine_partition_fn::operator()(const operator_graph& graph,
                                                                         const std::vector<std::size_t>& stage_of,
                                                                         const refine_request& request) const {
  detail::check_refine_request(request);
  return detail::partition_refinement(graph, stage_of, request).run();
}

}  // namespace stagecut::inline STAGECUT_ABI
