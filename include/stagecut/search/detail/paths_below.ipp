// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/search/paths_below.hpp>

#include <cstddef>
#include <cstdint>

#include <stagecut/engine/layered_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The elements of a cut that a node of a step writes, and their positions: see `stage_layout`.
class node_numbers {
 public:
  node_numbers(const engine::stage_layout& layout, std::size_t items)
      : layout_(layout), items_(static_cast<std::uint32_t>(items)) {}

  /// The largest number of elements.
  [[nodiscard]] std::size_t width() const noexcept {
    return layout_.kind == engine::stage_layout::shape::chain ? 1 : 2;
  }

  /// The position of element j of the nodes of a step.
  [[nodiscard]] std::uint32_t place(std::size_t step, std::size_t j) const {
    const std::size_t last = layout_.stages;
    switch (layout_.kind) {
      case engine::stage_layout::shape::chain: return static_cast<std::uint32_t>(step);
      case engine::stage_layout::shape::vee: return static_cast<std::uint32_t>(j == 0 ? step : last - step);
      case engine::stage_layout::shape::loop: break;
    }
    // The first step has chosen nothing; the next one is c[0] and c[p], and the last one c[p] again, and the end.
    if (step == 0) return path_graph::nowhere;
    return static_cast<std::uint32_t>(step - 1 + j * layout_.ranks);
  }

  /// The value of element j.
  [[nodiscard]] std::uint32_t value(const engine::layered_graph::node& node, std::size_t j) const {
    if (layout_.kind == engine::stage_layout::shape::vee && node.step == 0) return j == 0 ? 0 : items_;
    return node.cut[1 + j];
  }

 private:
  const engine::stage_layout& layout_;
  std::uint32_t items_;
};

STAGECUT_DECL path_graph as_path_graph(const engine::layered_graph& graph, const engine::stage_layout& layout,
                                       std::size_t items) {
  const node_numbers numbers(layout, items);
  path_graph result;
  result.points = layout.stages + 1;
  result.width = numbers.width();
  if (graph.edges.empty()) return result;
  for (std::size_t step = 0; step <= layout.steps(); ++step) {
    for (std::size_t j = 0; j < result.width; ++j) result.places.push_back(numbers.place(step, j));
  }
  for (const engine::layered_graph::node& node : graph.nodes) {
    for (std::size_t j = 0; j < result.width; ++j) result.values.push_back(numbers.value(node, j));
  }
  result.first = graph.first;
  for (const engine::layered_graph::edge& edge : graph.edges) result.to.push_back(edge.to);
  return result;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::search
