// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/host_device.hpp>
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

/// `graph_paths` as devices see them.
struct path_steps {
  view<const std::uint32_t> places{};
  view<const std::uint32_t> values{};
  view<const std::uint32_t> first{};
  view<const std::uint32_t> to{};
  view<const std::uint64_t> before{};  // of every edge: the paths through those of its node that come first
  std::size_t width = 1;
  std::size_t numbers = 0;
  std::uint64_t paths = 0;

  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::uint64_t size() const noexcept { return paths; }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t points() const noexcept { return numbers; }

  STAGECUT_HOST_DEVICE constexpr void decode(std::uint64_t index, candidate_room room) const noexcept {
    const std::size_t steps = places.size() / width;
    std::uint32_t node = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t j = 0; j < width; ++j) {
        const std::uint32_t place = places[step * width + j];
        if (place != path_graph::nowhere) room[place] = values[node * width + j];
      }
      if (step + 1 == steps) break;
      const std::uint32_t edge = last_edge(node, index);
      index -= before[edge];
      node = to[edge];
    }
  }

  /// The last edge of a node with no more than `index` paths before it.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::uint32_t last_edge(std::uint32_t node,
                                                                       std::uint64_t index) const noexcept {
    std::uint32_t low = first[node];
    std::uint32_t high = first[node + 1];
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (before[middle] <= index) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Candidates one after the other: only what differs from the one before is written.
class path_walk {
 public:
  /// Begins with a candidate.
  path_walk(const path_steps& paths, std::uint64_t index, candidate_room room)
      : paths_(paths), room_(room), edges_(paths.places.size() / paths.width) {
    for (std::size_t step = 0; step < edges_.size(); ++step) {
      const std::uint32_t node = write(step);
      if (step + 1 == edges_.size()) break;
      edges_[step] = paths_.last_edge(node, index);
      index -= paths_.before[edges_[step]];
    }
  }

  /// Goes on to the next one.
  /// @pre there is one
  void next() {
    std::size_t step = edges_.size() - 1;
    do --step;
    while (edges_[step] + 1 == paths_.first[node(step) + 1]);
    ++edges_[step];
    for (++step; step < edges_.size(); ++step) {
      const std::uint32_t here = write(step);
      if (step + 1 < edges_.size()) edges_[step] = paths_.first[here];
    }
  }

 private:
  [[nodiscard]] std::uint32_t node(std::size_t step) const { return step == 0 ? 0 : paths_.to[edges_[step - 1]]; }

  std::uint32_t write(std::size_t step) {
    const std::uint32_t here = node(step);
    for (std::size_t j = 0; j < paths_.width; ++j) {
      const std::uint32_t place = paths_.places[step * paths_.width + j];
      if (place != path_graph::nowhere) room_[place] = paths_.values[here * paths_.width + j];
    }
    return here;
  }

  path_steps paths_;
  candidate_room room_;
  std::vector<std::uint32_t> edges_;  // of every step but the last
};

}  // namespace detail

/// All paths of a layered graph, from its first node to the last step, in the order of the edges: only what the graph allows
/// is a candidate, and neighbours share most of their numbers. Paths are counted behind every node; an index is taken apart
/// by these counts.
class graph_paths {
 public:
  /// No path.
  graph_paths() = default;

  /// @param graph  nodes by step, node 0 the only one of the first; every node that is reached, but for those of the last
  ///               step, has an edge, and edges lead on to the next step. A graph without nodes has no path
  /// @throws       argument_error for a graph that is none such
  ///
  /// O(edges) time and memory.
  explicit graph_paths(path_graph graph) : graph_(std::move(graph)), before_(graph_.to.size()) {
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

  /// See `candidate_space`. O(steps log(edges of a node)) for a candidate.
  /// @{
  [[nodiscard]] std::uint64_t size() const noexcept { return paths_; }
  [[nodiscard]] std::size_t points() const noexcept { return graph_.points; }
  void decode(std::uint64_t index, candidate_room room) const noexcept { steps().decode(index, room); }
  [[nodiscard]] auto walk(std::uint64_t index, candidate_room room) const {
    return detail::path_walk(steps(), index, room);
  }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    detail::path_steps result = steps();
    result.places = memory(result.places);
    result.values = memory(result.values);
    result.first = memory(result.first);
    result.to = memory(result.to);
    result.before = memory(result.before);
    return result;
  }
  /// @}

  /// Whether `size()` is the number of paths; false if there are 2^64 - 1 or more.
  [[nodiscard]] bool exact() const noexcept { return paths_ != ~std::uint64_t{0}; }

  /// The index of a candidate; none if it is no path, or 2^64 - 1 paths come before it. The inverse of `decode`.
  /// @pre no two nodes with an edge from the same node write the same numbers
  [[nodiscard]] std::optional<std::uint64_t> index_of(view<const std::uint32_t> points) const {
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

  /// The graph.
  [[nodiscard]] const path_graph& graph() const noexcept { return graph_; }

 private:
  [[nodiscard]] detail::path_steps steps() const noexcept {
    return {graph_.places, graph_.values, graph_.first, graph_.to, before_, graph_.width, graph_.points, paths_};
  }

  [[nodiscard]] bool writes(std::size_t step, std::uint32_t node, view<const std::uint32_t> points) const {
    for (std::size_t j = 0; j < graph_.width; ++j) {
      const std::uint32_t place = graph_.places[step * graph_.width + j];
      if (place != path_graph::nowhere && points[place] != graph_.values[node * graph_.width + j]) return false;
    }
    return true;
  }

  path_graph graph_{};
  std::vector<std::uint64_t> before_{};
  std::uint64_t paths_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
