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

/// A directed graph over layers: data flow, or containment of modules.
class layer_graph {
 public:
  /// @param layers  number of layers; there are no edges yet
  explicit layer_graph(std::size_t layers) : next_(layers), previous_(layers) {}

  /// Adds an edge: `from` feeds `to`.
  /// @pre both are below the number of layers
  void join(std::size_t from, std::size_t to);

  /// Number of layers.
  [[nodiscard]] std::size_t size() const noexcept { return next_.size(); }
  /// The successors of a layer, in the order in which they were joined.
  [[nodiscard]] const std::vector<std::size_t>& next(std::size_t layer) const noexcept { return next_[layer]; }
  /// The predecessors of a layer, in the order in which they were joined.
  [[nodiscard]] const std::vector<std::size_t>& previous(std::size_t layer) const noexcept { return previous_[layer]; }

  /// A topological order: among the candidates first those that are not `late(LAYER)`, then the least number. Omits
  /// layers that depend on a cycle. O((layers + edges) log layers).
  template <class Late>
  [[nodiscard]] std::vector<std::size_t> order(const Late& late) const {
    return order_by(late);
  }

  /// As above, by number alone.
  [[nodiscard]] std::vector<std::size_t> order() const;

  /// A cycle, from its least layer on: each layer feeds the next, the last the first. Empty if there is no cycle.
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

/// A group that consecutive layers leave and enter again.
struct parted_group {
  std::size_t again = 0;  ///< the layer that enters it again; the number of layers if all groups are whole
  std::size_t left = 0;   ///< the first layer after it
};

/// The first group that is not contiguous among `layers` layers; `group(I)` is the group of layer I.
[[nodiscard]] STAGECUT_DECL parted_group find_parted_group(std::size_t layers,
                                                           function_ref<std::string_view(std::size_t)> group);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/layer_graph.ipp>
#endif
