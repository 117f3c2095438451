// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>
#include <stagecut/graph/detail/load_solver.hpp>
#include <stagecut/graph/detail/multilevel_load.hpp>
#include <stagecut/graph/detail/refined_stages.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The elements of an operator graph as vertices of a flat graph, with the further costs of stages.
struct flat_elements {
  flat_dag graph{};
  dag_nets nets{};
  dag_memory memory{};
  std::vector<precedence::element> order{};  ///< the element of each vertex

  flat_elements(const operator_costs& costs, const precedence& below)
      : order(below.order().begin(), below.order().end()) {
    const std::size_t n = order.size();
    std::vector<dag_vertex> place(n);
    std::vector<dag_weight> weight(n);
    for (std::size_t i = 0; i < n; ++i) {
      place[order[i]] = static_cast<dag_vertex>(i);
      const operator_costs::figures& each = costs.of(order[i]);
      weight[i] = each.forward + each.backward;
    }
    if (costs.options().memory_limit) keep_to_memory(costs);
    std::vector<dag_vertex> row;
    for (std::size_t i = 0; i < costs.nets(); ++i) {
      row.clear();
      for (const precedence::element e : costs.pins(i)) row.push_back(place[e]);
      std::sort(row.begin(), row.end());
      nets.pins.push_back(row);
      nets.weight.push_back(costs.weight_of(i).forward + costs.weight_of(i).backward);
    }
    nets.nets_of = nets.pins.holding(n);
    dag_edges edges = weighed_edges(below, place);
    graph = flat_dag(std::move(weight), edges);
  }

  /// Sets the number of microbatches whose activations each of `stages` stages keeps.
  void keep(const operator_costs& costs, std::size_t stages) {
    memory.in_flight.clear();
    for (std::size_t s = 0; s < stages; ++s) memory.in_flight.push_back(costs.in_flight(s, stages));
  }

 private:
  void keep_to_memory(const operator_costs& costs) {
    memory.limit = costs.limit();
    for (const precedence::element e : order) {
      memory.resident.push_back(costs.of(e).resident);
      memory.activations.push_back(costs.of(e).activations);
    }
  }

  /// The precedence pairs as edges; each weighs as much as the nets whose first element is its tail.
  [[nodiscard]] dag_edges weighed_edges(const precedence& below, const std::vector<dag_vertex>& place) const {
    dag_edges result;
    result.reserve(below.pairs());
    std::vector<std::size_t> edge(order.size(), below.pairs());  // for each vertex, the edge to it from the current one
    for (std::size_t v = 0; v < order.size(); ++v) {
      const std::size_t first = result.size();
      for (const precedence::element to : below.successors(order[v])) {
        edge[place[to]] = result.size();
        result.push_back({static_cast<dag_vertex>(v), place[to], 1});
      }
      for (const std::uint32_t net : nets.nets_of[v]) {
        const auto pins = nets.pins[net];
        if (pins[0] != v) continue;
        const dag_weight share = nets.weight[net] / static_cast<dag_weight>(pins.size());
        for (const dag_vertex to : pins) {
          if (edge[to] >= first && edge[to] < result.size() && result[edge[to]].to == to)
            result[edge[to]].weight += share;
        }
      }
    }
    return result;
  }
};

/// Cuts elements into stages on accelerators (fewer if allowed) by the methods for large graphs, and refines these. The
/// answer has no partition if none found fits.
/// @param seed  of random numbers
/// @param all   whether to include slow attempts
[[nodiscard]] inline load_answer<operator_costs::ticks> multilevel_stages(const operator_costs& costs,
                                                                          const precedence& below,
                                                                          const stage_counts& counts,
                                                                          std::uint64_t seed, bool all,
                                                                          const function_ref<bool()>& over) {
  load_answer<operator_costs::ticks> result = unsearched(costs, counts);
  const std::size_t most = std::min(counts.devices, below.size());
  flat_elements flat(costs, below);
  for (std::size_t stages = most; stages > 0; stages = below.size() <= 2000 && stages <= 16 ? stages - 1 : stages / 2) {
    flat.keep(costs, stages);
    multilevel_load search(flat.graph, flat.nets, stages, costs.constant(0), &flat.memory);
    search.run(seed, all, over);
    if (!search.best().part.empty()) {
      std::vector<std::uint32_t> stage_of(below.size());
      for (std::size_t v = 0; v < below.size(); ++v) stage_of[flat.order[v]] = search.best().part[v];
      put_refined(costs, below, std::move(stage_of), stages, over, result);
    }
    if (!counts.at_most || over()) break;  // fewer pay off if messages cost more than work
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
