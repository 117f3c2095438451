// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/virtual_stages.hpp>

#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/detail/chunk_solver.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/virtual_partition.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<virtual_partition> virtual_stages_fn::operator()(const operator_graph& graph,
                                                                       const virtual_stage_request& request) const {
  if (request.chunks == 0) detail::fail(argument_error("virtual_stages", "chunks", "0", "must be at least 1"));
  if (request.chunks >> 20U != 0) {
    detail::fail(argument_error("virtual_stages", "chunks", std::to_string(request.chunks), "must be below 2^20"));
  }
  detail::check_load_request(detail::contiguous_request(request), "virtual_stages");
  return detail::chunk_solver(graph, request).run();
}

}  // namespace stagecut::inline STAGECUT_ABI
