// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/dag_partition.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/weighted_dag.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::int64_t dag_partition::load() const noexcept {
  std::int64_t result = 0;
  for (const std::int64_t each : loads) result = each > result ? each : result;
  return result;
}

STAGECUT_DECL dag_partition measure_partition_fn::operator()(const weighted_dag& graph, view<const std::size_t> part_of,
                                                             std::size_t parts) const {
  const std::size_t n = graph.size();
  const auto refuse = [](const char* what, std::size_t value, const std::string& requirement) {
    detail::fail(argument_error("measure_partition", what, std::to_string(value), requirement));
  };
  if (part_of.size() != n)
    refuse("part_of.size()", part_of.size(), detail::joined({"must be the number of vertices, ", n}));
  for (const std::size_t part : part_of) {
    if (part >= parts) refuse("part_of", part, detail::joined({"must be below the number of parts, ", parts}));
  }
  dag_partition result;
  result.assignment.assign(part_of.begin(), part_of.end());
  result.weights.assign(parts, 0);
  const detail::flat_dag& flat = graph.flat();
  const auto part_at = [&](std::size_t place) { return part_of[graph.order()[place]]; };
  for (std::size_t i = 0; i < n; ++i) {
    result.weights[part_at(i)] += flat.weight[i];
    flat.out.each(i, [&](detail::dag_vertex to, std::int64_t weight) {
      if (part_at(to) == part_at(i)) return;
      result.cut += weight;
      if (part_at(to) > part_at(i)) return;
      detail::fail(
          invalid_input(detail::joined({"edge from vertex ", graph.order()[i], " to vertex ", graph.order()[to]}),
                        detail::joined({"leads from part ", part_at(i), " back to part ", part_at(to)})));
    });
  }
  result.loads = result.weights;
  std::vector<std::size_t> paid(parts, n);  // for each part, the last vertex whose output it paid
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    bool parted = false;
    for (const detail::dag_vertex to : flat.out[i]) parted = parted || part_at(to) != part_at(i);
    if (!parted) continue;
    const auto pay = [&](std::size_t part) {
      if (paid[part] != i) result.loads[part] += graph.outputs()[i];
      paid[part] = i;
    };
    pay(part_at(i));
    for (const detail::dag_vertex to : flat.out[i]) pay(part_at(to));
  }
  result.value = result.cut;
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
