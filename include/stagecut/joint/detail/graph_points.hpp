// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/pipeline_states.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The points of a graph, their inclusions, and how a stage grows layer by layer.
class graph_points {
 public:
  /// @param points  all points of a graph, or those of one linear order, each containing all before it
  explicit graph_points(graph_states points);

  [[nodiscard]] std::size_t size() const noexcept { return points_.states.size(); }
  /// Bytes that cross a point, forward.
  [[nodiscard]] double crossing(std::size_t point) const noexcept { return points_.states.output[point]; }

  /// Whether a layer is in a stage.
  [[nodiscard]] bool holds(std::size_t first, std::size_t last, std::size_t layer) const noexcept {
    return held(last, place_[layer]) && !held(first, place_[layer]);
  }

  /// The number of points that are strict subsets of a point.
  [[nodiscard]] std::size_t earlier(std::size_t last) const noexcept { return row_ ? last : earlier_[last].size(); }
  /// The `i`-th of them, ascending.
  [[nodiscard]] std::size_t earlier(std::size_t last, std::size_t i) const noexcept {
    return row_ ? i : earlier_[last][i];
  }
  /// Whether a point is one of them.
  [[nodiscard]] bool within(std::size_t first, std::size_t last) const noexcept;

  /// The start of a stage without its first layers. @pre `within(first, last)`
  [[nodiscard]] std::size_t next(std::size_t first, std::size_t last) const noexcept;

  /// Returns the layers of a stage, each after all that feed it: those of `next` come first.
  [[nodiscard]] std::vector<std::size_t> layers_of(std::size_t first, std::size_t last) const;

 private:
  [[nodiscard]] bool held(std::size_t point, std::size_t v) const noexcept {
    return (points_.held[point * points_.words + v / 64] >> (v % 64) & 1) != 0;
  }

  /// Finds for every point its extensions by one layer, and its strict subsets.
  void find_steps();

  graph_states points_;
  bool row_;                                         // whether each contains all before it
  std::vector<std::size_t> place_;                   // of every layer in the order of the points
  std::vector<std::size_t> steps_{};                 // [point * layers + place]: the point with that layer, too
  std::vector<std::vector<std::size_t>> earlier_{};  // for every point, its strict subsets, ascending
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/graph_points.ipp>
#endif
