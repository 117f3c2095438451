// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/graph/detail/graph_plan_point.hpp>
#include <stagecut/graph/detail/warm_up_climb.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/stage_makespan.hpp>
#include <stagecut/graph/stage_pipeline.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A finished plan: stages are in order of falling warm-up counts if none is fixed, so that `in_flight_order` takes
/// them, and empty stages are dropped if fewer are allowed.
[[nodiscard]] inline graph_makespan finished_plan(const operator_graph& graph, const plan_point& point,
                                                  const graph_makespan_request& request, bool numbered) {
  const std::size_t k = point.order.size();
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < k; ++i) {
    if (numbered || point.stages.members(point.order[i]) != 0) places.push_back(i);
  }
  if (!numbered) {
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return point.warm_up[a] > point.warm_up[b]; });
  }
  std::vector<std::size_t> number(k);
  for (std::size_t i = 0; i < places.size(); ++i) number[point.order[places[i]]] = i;
  graph_makespan result;
  for (const std::size_t stage : point.stages.stage_of()) result.assignment.push_back(number[stage]);
  const stage_pipeline stages = make_stage_pipeline(graph, result.assignment, places.size());
  for (const std::size_t each : places) result.warm_up.push_back(point.warm_up[each]);
  for (std::size_t s = 0; s < places.size(); ++s) {  // sums in another order may round past the memory
    const auto most = warm_up_climb::most_of(stages.resident[s], stages.activations[s], request.memory_limit.for_all(),
                                             request.microbatches);
    result.warm_up[s] = std::min(result.warm_up[s], most.value_or(0));
    if (!most) return {};
  }
  for (const auto& [from, to] : stages.edges) result.warm_up[to] = std::min(result.warm_up[to], result.warm_up[from]);
  result.value = stage_makespan(stages, request.microbatches, request.transfers)(result.warm_up);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
