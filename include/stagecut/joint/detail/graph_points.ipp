// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/graph_points.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/joint/pipeline_states.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL graph_points::graph_points(graph_states points)
    : points_(std::move(points)), row_(points_.states.later.empty()), place_(points_.layers.size()) {
  for (std::size_t v = 0; v < points_.layers.size(); ++v) place_[points_.layers[v]] = v;
  if (!row_) find_steps();
}

STAGECUT_DECL bool graph_points::within(std::size_t first, std::size_t last) const noexcept {
  if (row_) return first < last;
  return std::binary_search(earlier_[last].begin(), earlier_[last].end(), first);
}

STAGECUT_DECL std::size_t graph_points::next(std::size_t first, std::size_t last) const noexcept {
  if (row_) return first + 1;
  std::size_t v = 0;
  while (!held(last, v) || held(first, v)) ++v;  // all that feed it are before the stage
  return steps_[first * points_.layers.size() + v];
}

STAGECUT_DECL std::vector<std::size_t> graph_points::layers_of(std::size_t first, std::size_t last) const {
  std::vector<std::size_t> result;
  while (first != last) {
    const std::size_t then = next(first, last);
    for (const std::size_t layer : points_.layers_between(first, then)) result.push_back(layer);
    first = then;
  }
  return result;
}

STAGECUT_DECL void graph_points::find_steps() {
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
      near = more == 1;  // later ones have at least as many
      if (near) steps_[p * n + one] = q;
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
