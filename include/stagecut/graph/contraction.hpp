// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What edges between backward operators require if their groups contain forward operators.
enum class backward_edges : std::uint8_t {
  follow,  ///< nothing: their order follows the forward pass
  lead     ///< the same or an earlier stage, as a pipeline runs them
};

/// The operators of a graph, where those that no plan can separate form one element: the operators of a group, and those
/// on a cycle once each group is one. The partitions of the elements are exactly the partitions of the operators into
/// stages that split no group and have no cycle between stages.
///
/// An edge between forward operators leads to the same or a later stage. Backward operators whose group contains
/// forward operators follow these; if an end of an edge has no such group, or edges `lead`, the edge leads to the same
/// or an earlier stage. An edge from the forward to the backward pass requires nothing.
class contraction {
 public:
  /// An element, from 0; elements are numbered by their least operators.
  using element = precedence::element;

  /// Empty: no operators.
  contraction() = default;

  /// @throws invalid_input with `edge I` for an operator that does not exist and for an edge from the backward to the
  ///         forward pass, and with `operator I` for one on a cycle that no group explains. O((n + m) log m)
  explicit contraction(const operator_graph& graph, backward_edges backward = backward_edges::follow);

  /// Number of elements.
  [[nodiscard]] std::size_t elements() const noexcept { return operators_.size(); }
  /// The element of an operator.
  [[nodiscard]] element element_of(std::size_t operation) const noexcept { return element_of_[operation]; }
  /// The operators of an element, in ascending order.
  [[nodiscard]] view<const std::size_t> operators_of(std::size_t e) const noexcept { return operators_[e]; }
  /// The precedence of the elements: which may not be on later stages than others.
  [[nodiscard]] const precedence& below() const noexcept { return below_; }

  /// The contraction with some elements merged.
  /// @param graph    the graph of this contraction
  /// @param into     for each element, the one into which it is merged: itself, or one that is merged into itself
  /// @pre  no element lies on a path between merged ones
  [[nodiscard]] contraction merged(const operator_graph& graph, const std::vector<element>& into) const;

  /// Expands a value per element to a value per operator.
  /// @param of_elements  of length `elements()`
  template <class T>
  [[nodiscard]] std::vector<T> expanded(const std::vector<T>& of_elements) const {
    std::vector<T> result;
    result.reserve(element_of_.size());
    for (const element each : element_of_) result.push_back(of_elements[each]);
    return result;
  }

 private:
  /// For each operator, a number unique to its group.
  static std::vector<element> grouped(const operator_graph& graph);

  /// The pairs that edges require between the current elements.
  [[nodiscard]] std::vector<precedence::pair> pairs(const operator_graph& graph) const;

  /// Rejects invalid edges, and cycles of operators that are not all in one group.
  void check(const operator_graph& graph) const;

  /// Finds the operators whose group contains forward operators.
  void follow(const operator_graph& graph);

  /// Merges the operators on each cycle.
  void fuse(const operator_graph& graph);

  /// Numbers the elements by their least operators, and lists their operators.
  void number();

  std::vector<element> element_of_{};
  std::vector<bool> follows_{};
  detail::rows<std::size_t> operators_{};  // of each element
  precedence below_{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/contraction.ipp>
#endif
