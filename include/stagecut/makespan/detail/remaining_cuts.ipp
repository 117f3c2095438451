// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/remaining_cuts.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/layered_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL double remaining_cuts::count() const { return engine::number_of_paths(*graph_); }

STAGECUT_DECL bool remaining_cuts::walk(function_ref<bool(view<const std::size_t>)> visit) const {
  const engine::layered_graph& graph = *graph_;
  if (graph.edges.empty()) return true;
  const std::size_t steps = layout_->steps();
  std::vector<std::size_t> points(layout_->stages + 1);
  points.back() = items_;
  std::vector<std::size_t> node(steps + 1);  // of the path to the current step
  std::vector<std::size_t> next(steps + 1);  // the first edge of the node that was not followed
  next[0] = graph.first[0];
  for (std::size_t t = 0;;) {
    if (t == steps && !visit(points)) return false;
    if (t == steps || next[t] == graph.first[node[t] + 1]) {
      if (t == 0) return true;
      --t;
      continue;
    }
    const std::size_t to = graph.edges[next[t]++].to;
    for (std::size_t j = 0; j < layout_->width(t); ++j) {
      points[layout_->stage(t, j)] = layout_->part(j, graph.nodes[node[t]], graph.nodes[to]).first;
    }
    node[++t] = to;
    next[t] = graph.first[to];
  }
}

}  // namespace stagecut::inline STAGECUT_ABI
