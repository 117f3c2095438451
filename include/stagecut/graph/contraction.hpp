// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/profile/layer_graph.hpp>

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
  explicit contraction(const operator_graph& graph, backward_edges backward = backward_edges::follow)
      : element_of_(grouped(graph)) {
    check(graph);
    follow(graph);
    if (backward == backward_edges::lead) follows_.assign(follows_.size(), false);
    fuse(graph);
    number();
    below_ = precedence(elements(), pairs(graph));
  }

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
  [[nodiscard]] contraction merged(const operator_graph& graph, const std::vector<element>& into) const {
    contraction result = *this;
    for (element& each : result.element_of_) each = into[each];
    result.number();
    result.below_ = precedence(result.elements(), result.pairs(graph));
    return result;
  }

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
  static std::vector<element> grouped(const operator_graph& graph) {
    const std::vector<graph_operator>& all = graph.operators;
    std::vector<std::pair<std::size_t, element>> members;
    std::vector<element> result(all.size());
    for (std::size_t v = 0; v < all.size(); ++v) {
      result[v] = static_cast<element>(v);
      if (all[v].group != graph_operator::none) members.emplace_back(all[v].group, static_cast<element>(v));
    }
    std::sort(members.begin(), members.end());
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (members[i].first == members[i - 1].first) result[members[i].second] = result[members[i - 1].second];
    }
    return result;
  }

  /// The pairs that edges demand of what the operators are in now.
  [[nodiscard]] std::vector<precedence::pair> pairs(const operator_graph& graph) const {
    std::vector<precedence::pair> result;
    for (const operator_edge& each : graph.edges) {
      const bool backward = graph.operators[each.to].is_backward;
      if (backward != graph.operators[each.from].is_backward) continue;
      if (backward && follows_[each.from] && follows_[each.to]) continue;
      const element from = element_of_[each.from];
      const element to = element_of_[each.to];
      result.push_back(backward ? std::pair(to, from) : std::pair(from, to));
    }
    return result;
  }

  /// Refuses edges that are none, and cycles of operators that are not all of one group.
  void check(const operator_graph& graph) const {
    const std::size_t n = graph.operators.size();
    layer_graph given(n);
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      const operator_edge& each = graph.edges[i];
      for (const std::size_t end : {each.from, each.to}) {
        if (end >= n)
          detail::fail(invalid_input(detail::joined({"edge ", i}), detail::joined({"there is no operator ", end})));
      }
      if (graph.operators[each.from].is_backward && !graph.operators[each.to].is_backward) {
        detail::fail(invalid_input(detail::joined({"edge ", i}), "leads from the backward to the forward pass"));
      }
      if (element_of_[each.from] == element_of_[each.to]) continue;
      given.join(each.from, each.to);
    }
    if (const auto cycle = given.cycle(); !cycle.empty()) detail::fail(detail::cycle_error(cycle, "operator"));
  }

  /// Finds the operators whose group holds some of the forward pass.
  void follow(const operator_graph& graph) {
    const std::size_t n = element_of_.size();
    std::vector<bool> forward(n);
    for (std::size_t v = 0; v < n; ++v) {
      if (!graph.operators[v].is_backward) forward[element_of_[v]] = true;
    }
    follows_.resize(n);
    for (std::size_t v = 0; v < n; ++v) follows_[v] = forward[element_of_[v]];
  }

  /// Makes one of what stands on a cycle.
  void fuse(const operator_graph& graph) {
    const std::size_t n = element_of_.size();
    std::vector<precedence::pair> edges = pairs(graph);
    std::sort(edges.begin(), edges.end());
    using graph_t = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                       boost::no_property, element, std::size_t>;
    const graph_t classes(boost::edges_are_sorted, edges.begin(), edges.end(), static_cast<element>(n));
    std::vector<element> component(n);
    boost::strong_components(classes,
                             boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, classes)));
    for (element& each : element_of_) each = component[each];
  }

  /// Numbers the elements by their least operators, and lists their operators.
  void number() {
    const std::size_t n = element_of_.size();
    std::vector<element> number(n, static_cast<element>(n));
    element count = 0;
    for (element& each : element_of_) {
      if (number[each] == n) number[each] = count++;
      each = number[each];
    }
    operators_ = {count, n, [this](std::size_t v) { return element_of_[v]; }, [](std::size_t v) { return v; }};
  }

  std::vector<element> element_of_{};
  std::vector<bool> follows_{};
  detail::rows<std::size_t> operators_{};  // of every element
  precedence below_{};
};

}  // namespace stagecut::inline STAGECUT_ABI
