// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/search/graph_paths.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/check_path_graph.hpp>
#include <stagecut/search/path_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The sum, or the greatest number if it is greater.
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
    if (graph_.first[u] == graph_.first[u + 1]) continue;  // of the last step
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
