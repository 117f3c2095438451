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

/// What edges between operators of the backward pass demand, whose groups hold operators of the forward pass.
enum class backward_edges : std::uint8_t {
  follow,  ///< nothing: their order is that of the forward pass
  lead     ///< the same or an earlier stage, as a pipeline runs them
};

/// The operators of a graph that no plan can part, as one element each: those of one group, and those that stand on a
/// cycle once groups are one. Every partition of the operators into stages without a cycle between these, which parts no
/// group, is one of the elements, and the other way round.
///
/// An edge between operators of the forward pass leads to the same or a later stage. Of the backward pass, those whose
/// group holds operators of the forward pass follow these; where one end of an edge has none, or edges `lead`, the edge
/// leads to the same or an earlier stage. From the forward to the backward pass an edge demands nothing.
class contraction {
 public:
  /// An element, from 0: ordered by their least operators.
  using element = precedence::element;

  /// No operator.
  contraction() = default;

  /// @throws invalid_input with `edge I` for an operator that there is not and for an edge from the backward to the
  ///         forward pass, and with `operator I` for one on a cycle that no group explains. O((n + m) log m)
  explicit contraction(const operator_graph& graph, backward_edges backward = backward_edges::follow);

  /// Number of elements.
  [[nodiscard]] std::size_t elements() const noexcept { return operators_.size(); }
  /// The element of an operator.
  [[nodiscard]] element element_of(std::size_t operation) const noexcept { return element_of_[operation]; }
  /// The operators of an element, in ascending order.
  [[nodiscard]] view<const std::size_t> operators_of(std::size_t e) const noexcept { return operators_[e]; }
  /// Which elements may not stand on later stages than others.
  [[nodiscard]] const precedence& below() const noexcept { return below_; }

  /// The same with some elements made one.
  /// @param graph    of which this is the contraction
  /// @param into     of every element, the one into which it goes: itself, or one that goes into itself
  /// @pre  nothing that goes together has others between it
  [[nodiscard]] contraction merged(const operator_graph& graph, const std::vector<element>& into) const;

  /// What an answer for elements is for operators.
  /// @param of_elements  of length `elements()`
  template <class T>
  [[nodiscard]] std::vector<T> expanded(const std::vector<T>& of_elements) const {
    std::vector<T> result;
    result.reserve(element_of_.size());
    for (const element each : element_of_) result.push_back(of_elements[each]);
    return result;
  }

 private:
  /// Of every operator, a number that those of its group alone have.
  static std::vector<element> grouped(const operator_graph& graph);

  /// The pairs that edges demand of what the operators are in now.
  [[nodiscard]] std::vector<precedence::pair> pairs(const operator_graph& graph) const;

  /// Refuses edges that are none, and cycles of operators that are not all of one group.
  void check(const operator_graph& graph) const;

  /// Finds the operators whose group holds some of the forward pass.
  void follow(const operator_graph& graph);

  /// Makes one of what stands on a cycle.
  void fuse(const operator_graph& graph);

  /// Numbers the elements by their least operators, and lists their operators.
  void number();

  std::vector<element> element_of_{};
  std::vector<bool> follows_{};
  detail::rows<std::size_t> operators_{};  // of every element
  precedence below_{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/contraction.ipp>
#endif
