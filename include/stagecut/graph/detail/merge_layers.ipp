// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/merge_layers.hpp>

#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/detail/layers_merged.hpp>
#include <stagecut/graph/merge_request.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/weighted_operators.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<merged_layers> merge_layers_fn::operator()(const operator_graph& graph,
                                                                 const merge_request& request) const {
  if (request.parts == 0) detail::fail(argument_error("merge_layers", "parts", "0", "must be at least 1"));
  if (request.most_work && (is_nan(*request.most_work) || is_negative(*request.most_work))) {
    detail::fail(
        argument_error("merge_layers", "most_work", std::to_string(*request.most_work), "must not be negative"));
  }
  if (!request.time_weight) return detail::layers_merged(graph, request).run();
  const operator_graph weighted = weighted_operators(graph, *request.time_weight);
  return detail::layers_merged(weighted, request).run();
}

}  // namespace stagecut::inline STAGECUT_ABI
