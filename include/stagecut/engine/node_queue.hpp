// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The open nodes of a branch and bound, best first. A scan instead of a heap: there are few nodes, each takes long,
/// and nodes with equal bounds come in a fixed order. `Node` has a `bound`.
template <class Node>
class node_queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
  void clear() noexcept { nodes_.clear(); }

  /// The smallest bound. O(size).
  /// @pre not empty
  [[nodiscard]] double least() const noexcept { return nodes_[place()].bound; }

  void push(Node added) { nodes_.push_back(std::move(added)); }

  /// Removes and returns the node with the smallest bound. O(size).
  /// @pre not empty
  [[nodiscard]] Node pop() {
    const std::size_t at = place();
    Node result = std::move(nodes_[at]);
    if (at + 1 != nodes_.size()) nodes_[at] = std::move(nodes_.back());
    nodes_.pop_back();
    return result;
  }

  /// Removes the nodes whose bound is not below `best`.
  void keep_below(double best) {
    std::erase_if(nodes_, [best](const Node& node) { return !(node.bound < best); });
  }

 private:
  /// The first node with the smallest bound.
  [[nodiscard]] std::size_t place() const noexcept {
    std::size_t least = 0;
    for (std::size_t i = 1; i < nodes_.size(); ++i) least = nodes_[i].bound < nodes_[least].bound ? i : least;
    return least;
  }

  std::vector<Node> nodes_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
