// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/weighted_dag.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Parts of a graph, each edge of which leads to the same or a later part, with their figures.
struct dag_partition {
  std::vector<std::size_t> part_of{};   ///< of every vertex, from 0
  std::vector<std::int64_t> weights{};  ///< of every part, of its vertices
  std::vector<std::int64_t> loads{};    ///< of every part, of its vertices and the outputs that it pays for
  std::int64_t cut = 0;                 ///< of the edges between parts
  std::int64_t bound = 0;               ///< no partition has a smaller objective: of `multilevel` alone

  /// The heaviest load.
  [[nodiscard]] std::int64_t load() const noexcept {
    std::int64_t result = 0;
    for (const std::int64_t each : loads) result = each > result ? each : result;
    return result;
  }
};

/// Reckons the figures of parts, from nothing but the graph: see `measure_partition`.
struct measure_partition_fn {
  /// @param graph    any
  /// @param part_of  of every vertex
  /// @param parts    how many there are; some may be empty
  /// @return         with a bound of 0
  /// @throws         argument_error for as many parts as there are not vertices and for a part that there is not;
  ///                 invalid_input with the edge, by the vertices at its ends, that leads to an earlier part. O(n + m)
  [[nodiscard]] dag_partition operator()(const weighted_dag& graph, view<const std::size_t> part_of,
                                         std::size_t parts) const {
    const std::size_t n = graph.size();
    const auto refuse = [](const char* what, std::size_t value, const std::string& requirement) {
      detail::fail(argument_error("measure_partition", what, std::to_string(value), requirement));
    };
    if (part_of.size() != n)
      refuse("part_of.size()", part_of.size(), detail::joined({"must be the number of vertices, ", n}));
    for (const std::size_t each : part_of) {
      if (each >= parts) refuse("part_of", each, detail::joined({"must be below the number of parts, ", parts}));
    }
    dag_partition result;
    result.part_of.assign(part_of.begin(), part_of.end());
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
    std::vector<std::size_t> paid(parts, n);  // of every part, whose output it paid last
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
    return result;
  }
};

/// Reckons what parts of a graph weigh, what they pay for outputs and what is cut between them, and refuses parts where an
/// edge leads back: what `multilevel` returns can be checked by it. See `measure_partition_fn`.
inline constexpr measure_partition_fn measure_partition{};

}  // namespace stagecut::inline STAGECUT_ABI
