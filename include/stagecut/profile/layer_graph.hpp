// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/profile/layer.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Edges between layers, by the layer at either end: what feeds what, or which module holds which.
class layer_graph {
 public:
  /// @param layers  how many there are; no edge joins them yet
  explicit layer_graph(std::size_t layers) : next_(layers), previous_(layers) {}

  /// Adds an edge: `from` feeds `to`.
  /// @pre both are below the number of layers
  void join(std::size_t from, std::size_t to);

  /// Layers.
  [[nodiscard]] std::size_t size() const noexcept { return next_.size(); }
  /// What a layer feeds, in the order in which it was joined.
  [[nodiscard]] const std::vector<std::size_t>& next(std::size_t layer) const noexcept { return next_[layer]; }
  /// What feeds a layer, likewise.
  [[nodiscard]] const std::vector<std::size_t>& previous(std::size_t layer) const noexcept { return previous_[layer]; }

  /// The layers in an order in which each follows all that feed it: of those that may be next, first what is not
  /// `late(LAYER)`, then the least number. Layers that wait for a cycle are left out. O((layers + edges) log layers).
  template <class Late>
  [[nodiscard]] std::vector<std::size_t> order(const Late& late) const {
    return order_by(late);
  }

  /// As above, by their number alone.
  [[nodiscard]] std::vector<std::size_t> order() const;

  /// The layers of a cycle from its least number on, each of which feeds the next, and the last the first; empty if
  /// there is no cycle.
  [[nodiscard]] std::vector<std::size_t> cycle() const;

 private:
  [[nodiscard]] std::vector<std::size_t> order_by(function_ref<bool(std::size_t)> late) const;

  std::vector<std::vector<std::size_t>> next_;
  std::vector<std::vector<std::size_t>> previous_;
};

namespace detail {

/// Layers of a cycle by their names: `"a" -> "b" -> "a"`.
[[nodiscard]] STAGECUT_DECL std::string cycle_text(const std::vector<layer>& layers,
                                                   const std::vector<std::size_t>& cycle);

/// A group that layers in a row leave and enter again.
struct parted_group {
  std::size_t again = 0;  ///< the layer that enters it again; the number of layers if all groups are whole
  std::size_t left = 0;   ///< the first layer behind it
};

/// The first group whose layers do not stand together, of `layers` layers of which `group(I)` is that of layer I.
[[nodiscard]] STAGECUT_DECL parted_group find_parted_group(std::size_t layers,
                                                           function_ref<std::string_view(std::size_t)> group);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/layer_graph.ipp>
#endif
