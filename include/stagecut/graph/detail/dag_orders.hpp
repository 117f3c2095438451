// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/flat_dag.hpp>

// Topological orders of a flat graph.
namespace stagecut::inline STAGECUT_ABI::detail {

using dag_order = std::vector<dag_vertex>;

/// The order of the numbers.
[[nodiscard]] inline dag_order as_numbered(const flat_dag& graph) {
  dag_order result(graph.size());
  std::iota(result.begin(), result.end(), dag_vertex{0});
  return result;
}

/// By a key that no edge lowers, then by number. O(n + greatest key).
[[nodiscard]] inline dag_order by_key(const std::vector<std::uint32_t>& key, std::size_t keys) {
  std::vector<std::uint32_t> at(keys + 1, 0);
  for (const std::uint32_t each : key) ++at[each + std::size_t{1}];
  for (std::size_t i = 0; i < keys; ++i) at[i + 1] += at[i];
  dag_order result(key.size());
  for (std::size_t v = 0; v < key.size(); ++v) result[at[key[v]]++] = static_cast<dag_vertex>(v);
  return result;
}

/// For each vertex, the number of edges on the longest path to it.
[[nodiscard]] inline std::vector<std::uint32_t> levels(const flat_dag& graph) {
  std::vector<std::uint32_t> result(graph.size(), 0);
  for (std::size_t v = 0; v < graph.size(); ++v) {
    for (const dag_vertex u : graph.in[v]) result[v] = std::max(result[v], result[u] + 1);
  }
  return result;
}

/// For each vertex, the edges of the longest path overall minus those of the longest path from it.
[[nodiscard]] inline std::vector<std::uint32_t> late_levels(const flat_dag& graph) {
  std::vector<std::uint32_t> result(graph.size(), 0);
  for (std::size_t v = graph.size(); v-- > 0;) {
    for (const dag_vertex u : graph.out[v]) result[v] = std::max(result[v], result[u] + 1);
  }
  const std::uint32_t most = result.empty() ? 0 : *std::max_element(result.begin(), result.end());
  for (std::uint32_t& each : result) each = most - each;
  return result;
}

/// By the longest path to a vertex, or from it.
[[nodiscard]] inline dag_order by_level(const flat_dag& graph, bool late) {
  return by_key(late ? late_levels(graph) : levels(graph), graph.size() + 1);
}

/// The vertex that became ready last first; or, from the end, the vertex whose successors are all placed.
[[nodiscard]] inline dag_order last_ready_first(const flat_dag& graph, bool from_end) {
  const dag_rows& before = from_end ? graph.out : graph.in;
  const dag_rows& behind = from_end ? graph.in : graph.out;
  const std::size_t n = graph.size();
  std::vector<std::uint32_t> waits(n);
  std::vector<dag_vertex> ready;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t v = from_end ? i : n - 1 - i;
    waits[v] = static_cast<std::uint32_t>(before[v].size());
    if (waits[v] == 0) ready.push_back(static_cast<dag_vertex>(v));
  }
  dag_order result;
  result.reserve(n);
  while (!ready.empty()) {
    const dag_vertex v = ready.back();
    ready.pop_back();
    result.push_back(v);
    for (const dag_vertex u : behind[v]) {
      if (--waits[u] == 0) ready.push_back(u);
    }
  }
  if (from_end) std::reverse(result.begin(), result.end());
  return result;
}

/// Predecessors just before the first vertex that needs them: for every sink, its ancestors not placed yet.
[[nodiscard]] inline dag_order on_demand(const flat_dag& graph) {
  const std::size_t n = graph.size();
  std::vector<std::uint32_t> next(n, 0);  // index into the predecessors visited so far
  std::vector<bool> met(n);
  dag_order result;
  result.reserve(n);
  std::vector<dag_vertex> path;
  for (std::size_t last = 0; last < n; ++last) {
    if (graph.out[last].size() != 0) continue;
    path.push_back(static_cast<dag_vertex>(last));
    met[last] = true;
    while (!path.empty()) {
      const dag_vertex v = path.back();
      const auto needs = graph.in[v];
      while (next[v] < needs.size() && met[needs[next[v]]]) ++next[v];
      if (next[v] == needs.size()) {
        result.push_back(v);
        path.pop_back();
      } else {
        met[needs[next[v]]] = true;
        path.push_back(needs[next[v]]);
      }
    }
  }
  return result;
}

/// Among ready vertices, the one after which least is cut comes first; or the same from the end.
[[nodiscard]] inline dag_order least_cut_first(const flat_dag& graph, bool from_end) {
  const dag_rows& before = from_end ? graph.out : graph.in;
  const dag_rows& behind = from_end ? graph.in : graph.out;
  const std::size_t n = graph.size();
  std::vector<dag_weight> more(n, 0);  // the increase of the cut
  std::vector<std::uint32_t> waits(n);
  struct item {
    dag_weight more;
    std::uint32_t since;
    dag_vertex vertex;
  };
  const auto later = [](const item& a, const item& b) {
    return a.more != b.more ? a.more > b.more : a.since != b.since ? a.since < b.since : a.vertex > b.vertex;
  };
  std::vector<item> ready;
  std::uint32_t time = 0;
  const auto put = [&](std::size_t v) {
    ready.push_back({more[v], time, static_cast<dag_vertex>(v)});
    std::push_heap(ready.begin(), ready.end(), later);
  };
  for (std::size_t v = 0; v < n; ++v) {
    behind.each(v, [&](dag_vertex, dag_weight weight) { more[v] += weight; });
    before.each(v, [&](dag_vertex, dag_weight weight) { more[v] -= weight; });
    waits[v] = static_cast<std::uint32_t>(before[v].size());
    if (waits[v] == 0) put(v);
  }
  dag_order result;
  result.reserve(n);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const dag_vertex v = ready.back().vertex;
    ready.pop_back();
    result.push_back(v);
    ++time;
    for (const dag_vertex u : behind[v]) {
      if (--waits[u] == 0) put(u);
    }
  }
  if (from_end) std::reverse(result.begin(), result.end());
  return result;
}

/// Number of orders made from the graph alone.
inline constexpr std::size_t plain_orders = 8;

/// One of these orders.
[[nodiscard]] inline dag_order plain_order(const flat_dag& graph, std::size_t i) {
  switch (i) {
    case 0: return as_numbered(graph);
    case 1: return by_level(graph, false);
    case 2: return by_level(graph, true);
    case 3: return last_ready_first(graph, false);
    case 4: return last_ready_first(graph, true);
    case 5: return on_demand(graph);
    case 6: return least_cut_first(graph, false);
    default: return least_cut_first(graph, true);
  }
}

/// An order in which parts follow one another, and `order` is kept within each part. O(n).
/// @pre  no edge leads to an earlier part
[[nodiscard]] inline dag_order by_part(const dag_order& order, const std::vector<std::uint32_t>& part,
                                       std::size_t parts) {
  std::vector<std::uint32_t> key(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) key[i] = part[order[i]];
  dag_order result = by_key(key, parts);
  for (dag_vertex& each : result) each = order[each];
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
