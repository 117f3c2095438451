// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/path_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The device view of `graph_paths`.
struct path_steps {
  view<const std::uint32_t> places{};
  view<const std::uint32_t> values{};
  view<const std::uint32_t> first{};
  view<const std::uint32_t> to{};
  view<const std::uint64_t> before{};  // per edge: the paths through earlier edges of its node
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

/// Iterates over candidates, writing only what differs from the previous one.
class path_walk {
 public:
  /// Starts at a candidate.
  path_walk(const path_steps& paths, std::uint64_t index, candidate_room room);

  /// Advances to the next one.
  /// @pre there is one
  void next();

 private:
  [[nodiscard]] std::uint32_t node(std::size_t step) const { return step == 0 ? 0 : paths_.to[edges_[step - 1]]; }

  std::uint32_t write(std::size_t step);

  path_steps paths_;
  candidate_room room_;
  std::vector<std::uint32_t> edges_;  // per step except the last
};

}  // namespace detail

/// All paths of a layered graph, from its first node to the last step, in the order of the edges: every candidate is a
/// path, and neighbours share most of their numbers. Stores the number of paths from every node, and decodes an index
/// by these counts.
class graph_paths {
 public:
  /// The empty space.
  graph_paths() = default;

  /// @param graph  nodes by step, with node 0 the only one of the first; every reached node outside the last step has
  ///               an edge, and edges lead to the next step. A graph without nodes has no path
  /// @throws       argument_error for any other graph
  ///
  /// O(edges) time and memory.
  explicit graph_paths(path_graph graph);

  /// See `candidate_space`. O(steps log(edges of a node)) per candidate.
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

  /// The index of a candidate; none if it is not a path, or if 2^64 - 1 paths come before it. The inverse of `decode`.
  /// @pre no two nodes with an edge from the same node write the same numbers
  [[nodiscard]] std::optional<std::uint64_t> index_of(view<const std::uint32_t> points) const;

  /// The graph.
  [[nodiscard]] const path_graph& graph() const noexcept { return graph_; }

 private:
  [[nodiscard]] detail::path_steps steps() const noexcept {
    return {graph_.places, graph_.values, graph_.first, graph_.to, before_, graph_.width, graph_.points, paths_};
  }

  [[nodiscard]] bool writes(std::size_t step, std::uint32_t node, view<const std::uint32_t> points) const;

  path_graph graph_{};
  std::vector<std::uint64_t> before_{};
  std::uint64_t paths_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::search

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/search/detail/graph_paths.ipp>
#endif
