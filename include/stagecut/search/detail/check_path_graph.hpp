// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
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

/// Refuses places that are none of a candidate, and candidates with numbers that no step writes.
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

/// Refuses what is no layered graph: see `graph_paths`.
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
