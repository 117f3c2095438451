// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace engine {
struct layered_graph;
class stage_layout;
}  // namespace engine

namespace detail {
struct problem_access;
}

/// The cuts that a search for the smallest makespan has not excluded yet. Every allowed cut of at most the makespan of the
/// call is among them; others may be, too, and some may not be allowed. Valid during the call that provides it.
class remaining_cuts {
 public:
  /// Their number; rounded above 2^53, infinite beyond the range of doubles. O(edges) of the graph that stores them.
  [[nodiscard]] double count() const;

  /// Calls `visit(points)`, with k + 1 cut points that are valid during that call, for one cut after the other, until it
  /// returns false. Returns whether all were visited.
  template <std::predicate<view<const std::size_t>> Visit>
  bool for_each(Visit&& visit) const {
    const auto call = [&](view<const std::size_t> points) -> bool { return visit(points); };
    return walk(call);
  }

 private:
  friend struct detail::problem_access;
  remaining_cuts(const engine::layered_graph& graph, const engine::stage_layout& layout, std::size_t items) noexcept
      : graph_(&graph), layout_(&layout), items_(items) {}

  [[nodiscard]] bool walk(function_ref<bool(view<const std::size_t>)> visit) const;

  const engine::layered_graph* graph_;
  const engine::stage_layout* layout_;
  std::size_t items_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/remaining_cuts.ipp>
#endif
