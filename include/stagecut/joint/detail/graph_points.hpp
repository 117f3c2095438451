// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/joint/pipeline_states.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The points of a graph, which of them hold which, and how a stage grows layer by layer.
class graph_points {
 public:
  /// @param points  all points of a graph, or those of one order, each of which holds all before it
  explicit graph_points(graph_states points)
      : points_(std::move(points)), row_(points_.states.later.empty()), place_(points_.layers.size()) {
    for (std::size_t v = 0; v < points_.layers.size(); ++v) place_[points_.layers[v]] = v;
    if (!row_) find_steps();
  }

  [[nodiscard]] std::size_t size() const noexcept { return points_.states.size(); }
  /// Bytes that cross a point, forward.
  [[nodiscard]] double crossing(std::size_t point) const noexcept { return points_.states.output[point]; }

  /// Whether a layer is one of a stage.
  [[nodiscard]] bool holds(std::size_t first, std::size_t last, std::size_t layer) const noexcept {
    return held(last, place_[layer]) && !held(first, place_[layer]);
  }

  /// How many points are held by one, and hold less than all of it.
  [[nodiscard]] std::size_t earlier(std::size_t last) const noexcept { return row_ ? last : earlier_[last].size(); }
  /// The `i`-th of them, ascending.
  [[nodiscard]] std::size_t earlier(std::size_t last, std::size_t i) const noexcept {
    return row_ ? i : earlier_[last][i];
  }
  /// Whether a point is one of them.
  [[nodiscard]] bool within(std::size_t first, std::size_t last) const noexcept {
    if (row_) return first < last;
    return std::binary_search(earlier_[last].begin(), earlier_[last].end(), first);
  }

  /// A stage without its first layers: where it begins then. @pre `within(first, last)`
  [[nodiscard]] std::size_t next(std::size_t first, std::size_t last) const noexcept {
    if (row_) return first + 1;
    std::size_t v = 0;
    while (!held(last, v) || held(first, v)) ++v;  // all that feed it are before the stage
    return steps_[first * points_.layers.size() + v];
  }

  /// The layers of a stage, each behind all that feed it: those of `next` come first.
  [[nodiscard]] std::vector<std::size_t> layers_of(std::size_t first, std::size_t last) const {
    std::vector<std::size_t> result;
    while (first != last) {
      const std::size_t then = next(first, last);
      for (const std::size_t each : points_.layers_between(first, then)) result.push_back(each);
      first = then;
    }
    return result;
  }

 private:
  [[nodiscard]] bool held(std::size_t point, std::size_t v) const noexcept {
    return (points_.held[point * points_.words + v / 64] >> (v % 64) & 1) != 0;
  }

  /// Finds of every point what it is with one layer more, and those of which it holds all.
  void find_steps() {
    const std::size_t n = points_.layers.size();
    steps_.assign((size() + 1) * n, 0);
    earlier_.resize(size() + 1);
    for (std::size_t p = 0; p <= size(); ++p) {
      bool near = true;
      for (const std::size_t q : points_.states.later[p]) {
        earlier_[q].push_back(p);
        if (!near) continue;
        std::size_t more = 0;
        std::size_t one = 0;
        for (std::size_t v = 0; v < n && more < 2; ++v) {
          if (held(q, v) && !held(p, v)) ++more, one = v;
        }
        near = more == 1;  // later ones hold no fewer
        if (near) steps_[p * n + one] = q;
      }
    }
  }

  graph_states points_;
  bool row_;                                         // whether each holds all before it
  std::vector<std::size_t> place_;                   // of every layer in the order of points
  std::vector<std::size_t> steps_{};                 // [point * layers + place]: the point with that layer, too
  std::vector<std::vector<std::size_t>> earlier_{};  // of every point, those of which it holds all, ascending
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
