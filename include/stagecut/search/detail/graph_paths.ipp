// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/search/graph_paths.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/path_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

[[noreturn]] inline void refuse_path_graph(std::string_view what, std::size_t value, std::string_view requirement) {
  stagecut::detail::fail(argument_error("search::graph_paths", stagecut::detail::joined({"graph.", what}),
                                        std::to_string(value), requirement));
}
[[noreturn]] inline void refuse_path_graph(std::string_view array, std::size_t at, std::size_t value,
                                           std::string_view requirement) {
  detail::refuse_path_graph(stagecut::detail::joined({array, "[", at, "]"}), value, requirement);
}

/// Rejects places outside a candidate, and elements that no step writes.
inline void check_places(const path_graph& graph) {
  if (graph.width == 0) detail::refuse_path_graph("width", 0, "must be at least 1");
  if (graph.places.empty() || graph.places.size() % graph.width != 0) {
    detail::refuse_path_graph("places.size()", graph.places.size(), "must be a number of steps times the width");
  }
  std::vector<bool> written(graph.points);
  for (std::size_t i = 0; i < graph.places.size(); ++i) {
    if (graph.places[i] == path_graph::nowhere) continue;
    if (graph.places[i] >= graph.points) {
      detail::refuse_path_graph("places", i, graph.places[i], "must be below points, or nowhere");
    }
    written[graph.places[i]] = true;
  }
  for (std::size_t point = 0; point < graph.points; ++point) {
    if (!written[point]) detail::refuse_path_graph("points", graph.points, "must be as many as steps write");
  }
}

/// Rejects graphs that are not layered: see `graph_paths`.
/// @throws argument_error
inline void check_path_graph(const path_graph& graph) {
  if (graph.first.empty() || graph.first.size() == 1) {
    if (!graph.to.empty())
      detail::refuse_path_graph("to.size()", graph.to.size(), "must be 0 where there are no nodes");
    return;
  }
  detail::check_places(graph);
  const std::size_t nodes = graph.first.size() - 1;
  const std::size_t last = graph.places.size() / graph.width - 1;
  if (graph.values.size() != nodes * graph.width) {
    detail::refuse_path_graph("values.size()", graph.values.size(), "must be the number of nodes times the width");
  }
  if (graph.first[0] != 0) detail::refuse_path_graph("first", 0, graph.first[0], "must be 0");
  if (graph.first[nodes] != graph.to.size()) {
    detail::refuse_path_graph("first", nodes, graph.first[nodes], "must be the number of edges");
  }
  constexpr std::size_t unreached = ~std::size_t{0};
  std::vector<std::size_t> step(nodes, unreached);
  step[0] = 0;
  for (std::size_t u = 0; u < nodes; ++u) {
    const std::size_t begin = graph.first[u];
    const std::size_t end = graph.first[u + 1];
    if (begin > end || end > graph.to.size()) detail::refuse_path_graph("first", u + 1, end, "must not fall");
    if (step[u] == unreached) continue;
    if ((begin == end) != (step[u] == last)) {
      detail::refuse_path_graph(
          "first", u + 1, end,
          begin == end ? "leaves a node before the last step without edges" : "gives edges to a node of the last step");
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t v = graph.to[i];
      if (v >= nodes || v <= u || (step[v] != unreached && step[v] != step[u] + 1)) {
        detail::refuse_path_graph("to", i, v, "must be a node of the next step");
      }
      step[v] = step[u] + 1;
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::search::detail

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The sum, or the largest number on overflow.
[[nodiscard]] constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
  return a + b < a ? ~std::uint64_t{0} : a + b;
}

STAGECUT_DECL path_walk::path_walk(const path_steps& paths, std::uint64_t index, candidate_room room)
    : paths_(paths), room_(room), edges_(paths.places.size() / paths.width) {
  for (std::size_t step = 0; step < edges_.size(); ++step) {
    const std::uint32_t node = write(step);
    if (step + 1 == edges_.size()) break;
    edges_[step] = paths_.last_edge(node, index);
    index -= paths_.before[edges_[step]];
  }
}

STAGECUT_DECL void path_walk::next() {
  std::size_t step = edges_.size() - 1;
  do --step;
  while (edges_[step] + 1 == paths_.first[node(step) + 1]);
  ++edges_[step];
  for (++step; step < edges_.size(); ++step) {
    const std::uint32_t here = write(step);
    if (step + 1 < edges_.size()) edges_[step] = paths_.first[here];
  }
}

STAGECUT_DECL std::uint32_t path_walk::write(std::size_t step) {
  const std::uint32_t here = node(step);
  for (std::size_t j = 0; j < paths_.width; ++j) {
    const std::uint32_t place = paths_.places[step * paths_.width + j];
    if (place != path_graph::nowhere) room_[place] = paths_.values[here * paths_.width + j];
  }
  return here;
}

}  // namespace detail

STAGECUT_DECL graph_paths::graph_paths(path_graph graph) : graph_(std::move(graph)), before_(graph_.to.size()) {
  detail::check_path_graph(graph_);
  const std::size_t nodes = graph_.first.empty() ? 0 : graph_.first.size() - 1;
  std::vector<std::uint64_t> ways(nodes, 1);
  for (std::size_t u = nodes; u-- > 0;) {
    if (graph_.first[u] == graph_.first[u + 1]) continue;  // the last step
    ways[u] = 0;
    for (std::uint32_t i = graph_.first[u]; i < graph_.first[u + 1]; ++i) {
      before_[i] = ways[u];
      ways[u] = detail::saturating_sum(ways[u], ways[graph_.to[i]]);
    }
  }
  paths_ = nodes == 0 ? 0 : ways[0];
}

STAGECUT_DECL std::optional<std::uint64_t> graph_paths::index_of(view<const std::uint32_t> points) const {
  const std::size_t steps = graph_.places.size() / graph_.width;
  if (paths_ == 0 || points.size() != graph_.points || !writes(0, 0, points)) return std::nullopt;
  std::uint64_t index = 0;
  std::uint32_t node = 0;
  for (std::size_t step = 1; step < steps; ++step) {
    std::uint32_t edge = graph_.first[node];
    while (edge < graph_.first[node + 1] && !writes(step, graph_.to[edge], points)) ++edge;
    if (edge == graph_.first[node + 1]) return std::nullopt;
    index = detail::saturating_sum(index, before_[edge]);
    node = graph_.to[edge];
  }
  if (index == ~std::uint64_t{0}) return std::nullopt;
  return index;
}

STAGECUT_DECL bool graph_paths::writes(std::size_t step, std::uint32_t node, view<const std::uint32_t> points) const {
  for (std::size_t j = 0; j < graph_.width; ++j) {
    const std::uint32_t place = graph_.places[step * graph_.width + j];
    if (place != path_graph::nowhere && points[place] != graph_.values[node * graph_.width + j]) return false;
  }
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::search
