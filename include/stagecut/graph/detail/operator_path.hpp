// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/graph/detail/check_operator_figures.hpp>
#include <stagecut/graph/detail/path_load.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/stage_figures.hpp>

// Graphs that are recognised as paths without contraction.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a request and operators need nothing that the cut of a path does not support.
[[nodiscard]] inline bool may_be_path(const operator_graph& graph, const load_request& request) {
  const load_options& load = request.load;
  if (request.cpus != 0 || load.memory_limit || load.constants.size() > 1 || !load.speeds.empty()) return false;
  if (load.overlap != message_overlap::none || graph.operators.empty()) return false;
  for (const graph_operator& each : graph.operators) {
    if (each.group != graph_operator::none || each.stage != graph_operator::none) return false;
    if (!each.on_accelerator || each.is_backward) return false;
  }
  return graph.operators.size() < std::numeric_limits<std::uint32_t>::max() &&
         graph.edges.size() + 1 >= graph.operators.size();
}

/// The operators of a path, in order; empty if the edges do not form a path of all operators. O(n + m).
[[nodiscard]] inline std::vector<std::uint32_t> operator_path(const operator_graph& graph) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  const std::size_t n = graph.operators.size();
  std::vector<std::uint32_t> next(n, none);
  std::vector<bool> fed(n);
  for (const operator_edge& edge : graph.edges) {
    const std::size_t from = edge.from;
    const std::size_t to = edge.to;
    if (from >= n || to >= n || from == to || (next[from] != none && next[from] != to)) return {};
    next[from] = static_cast<std::uint32_t>(to);
    fed[to] = true;
  }
  std::vector<std::uint32_t> result;
  result.reserve(n);
  std::size_t first = 0;
  while (first < n && fed[first]) ++first;
  if (first == n) return {};
  for (std::uint32_t at = static_cast<std::uint32_t>(first); at != none && result.size() < n; at = next[at]) {
    result.push_back(at);
  }
  if (result.size() != n || next[result.back()] != none) return {};
  return result;
}

/// The seconds that each operator of a path sends to the next one, and receives back: of its output, if an edge carries
/// it, and of the tensors of edges.
[[nodiscard]] inline std::vector<double> sent_on_path(const operator_graph& graph) {
  std::vector<double> result(graph.operators.size());
  std::vector<bool> counted(graph.operators.size());
  const auto add = [&](std::size_t v, double there, double back) {
    result[v] += there + graph.latency + (back > 0 || graph.sends_back ? back + graph.latency : 0);
  };
  for (const operator_edge& edge : graph.edges) {
    if (edge.tensor) {
      add(edge.from, edge.tensor->sent_seconds, edge.tensor->sent_back_seconds);
    } else if (!counted[edge.from]) {
      counted[edge.from] = true;
      add(edge.from, graph.operators[edge.from].sent_seconds, graph.operators[edge.from].sent_back_seconds);
    }
  }
  return result;
}

/// The load of its stages.
[[nodiscard]] inline path_load load_of_path(const operator_graph& graph, const load_options& options,
                                            const std::vector<std::uint32_t>& path) {
  const double beside = options.constants.empty() ? 0 : options.constants[0];
  const std::vector<double> sent = sent_on_path(graph);
  double sum = beside;
  for (const std::uint32_t v : path) sum += graph.operators[v].forward + graph.operators[v].backward + sent[v];
  const engine::tick_scale scale = tick_scale_of(sum);
  const auto ticks = [&](double seconds) { return scale.nearest(seconds); };
  path_load result(path.size(), ticks(beside));
  for (std::size_t i = 0; i < path.size(); ++i) {
    result.put(i, ticks(graph.operators[path[i]].forward) + ticks(graph.operators[path[i]].backward));
    if (i + 1 < path.size()) result.cut(i + 1, ticks(sent[path[i]]));
  }
  return result;
}

/// The least load of a graph whose operators form a path; unset if they do not, or if it needs a closer look.
[[nodiscard]] inline std::optional<outcome<graph_partition>> least_load_of_path(const operator_graph& graph,
                                                                                const load_request& request) {
  using answer = outcome<graph_partition>;
  if (!may_be_path(graph, request)) return std::nullopt;
  const std::vector<std::uint32_t> path = operator_path(graph);
  if (path.empty()) return std::nullopt;
  check_operator_figures(graph);
  const stage_counts counts{request.devices, 0, request.at_most};
  const auto found = least_path_load(load_of_path(graph, request.load, path), view<const std::uint32_t>(path), counts);
  if (!found) return std::nullopt;  // which states why
  graph_partition result;
  result.assignment.assign(found->stage_of.begin(), found->stage_of.end());
  result.stages = stage_figures(graph, result.assignment, found->kinds, request.load);
  for (const graph_stage& stage : result.stages) result.value = stage.load > result.value ? stage.load : result.value;
  result.bound = result.value;
  result.elements = path.size();
  result.others = {result.assignment};
  return answer::optimal(std::move(result));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
