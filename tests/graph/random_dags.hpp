// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/graph/weighted_dag.hpp>

#include "random_problems.hpp"

/// Graphs with weights by chance, and what a plain loop says of their parts.
namespace oracle {

struct dag_case {
  std::vector<std::int64_t> weights{};
  std::vector<stagecut::weighted_edge> edges{};
  std::vector<std::int64_t> outputs{};

  [[nodiscard]] stagecut::weighted_dag dag() const { return {weights, edges, outputs}; }
};

/// n vertices, numbered in any order, with weights of 1 or up to 9 and one in `sparse` of all edges.
inline dag_case random_dag(chance& random, std::size_t n, std::size_t sparse) {
  dag_case result;
  std::vector<std::uint32_t> name(n);
  for (std::size_t v = 0; v < n; ++v) name[v] = static_cast<std::uint32_t>(v);
  if (random.one_in(2)) std::shuffle(name.begin(), name.end(), random.engine());
  const std::size_t most = random.one_in(2) ? 1 : 9;
  for (std::size_t v = 0; v < n; ++v) {
    result.weights.push_back(random.one_in(8) ? 0 : 1 + static_cast<std::int64_t>(random.below(most)));
    result.outputs.push_back(static_cast<std::int64_t>(random.below(most + 1)));
  }
  for (std::size_t to = 0; to < n; ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      if (!random.one_in(sparse)) continue;
      result.edges.push_back({name[from], name[to], static_cast<std::int64_t>(random.below(most + 1))});
    }
  }
  std::shuffle(result.edges.begin(), result.edges.end(), random.engine());
  return result;
}

struct dag_figures {
  bool forwards = true;  ///< no edge leads to an earlier part
  std::vector<std::int64_t> weights{};
  std::vector<std::int64_t> loads{};
  std::int64_t cut = 0;
};

inline dag_figures figures_of(const dag_case& graph, const std::vector<std::size_t>& part, std::size_t parts) {
  dag_figures result;
  result.weights.assign(parts, 0);
  for (std::size_t v = 0; v < part.size(); ++v) result.weights[part[v]] += graph.weights[v];
  result.loads = result.weights;
  for (const stagecut::weighted_edge& edge : graph.edges) {
    result.cut += part[edge.from] != part[edge.to] ? edge.weight : 0;
    result.forwards = result.forwards && part[edge.from] <= part[edge.to];
  }
  for (std::size_t v = 0; v < part.size(); ++v) {
    std::vector<bool> holds(parts);
    holds[part[v]] = true;
    for (const stagecut::weighted_edge& edge : graph.edges) {
      if (edge.from == v) holds[part[edge.to]] = true;
    }
    const auto count = std::count(holds.begin(), holds.end(), true);
    for (std::size_t p = 0; p < parts && count > 1; ++p) result.loads[p] += holds[p] ? graph.outputs[v] : 0;
  }
  return result;
}

/// Calls `visit` for all assignments of vertices to `parts` parts.
template <class Visit>
void each_assignment(std::size_t n, std::size_t parts, const Visit& visit) {
  std::vector<std::size_t> part(n, 0);
  for (;;) {
    visit(part);
    std::size_t at = 0;
    while (at < n && ++part[at] == parts) part[at++] = 0;
    if (at == n) return;
  }
}

}  // namespace oracle
