// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/profile/layer_graph.hpp>

namespace stagecut::inline v0 {

namespace detail {

/// What is wrong with a cycle of elements or operators, with the first of them.
[[nodiscard]] inline invalid_input cycle_error(const std::vector<std::size_t>& cycle, std::string_view what) {
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < 8; ++i) text += std::to_string(cycle[i]) + " -> ";
  if (cycle.size() > 8) text += "... -> ";
  return {joined({what, " ", cycle[0]}), joined({text, cycle[0], " is a cycle of ", cycle.size(), " ", what, "s"})};
}

}  // namespace detail

/// Elements of which some may not stand on a later stage than others: a directed graph without cycles, in rows of
/// consecutive numbers both ways.
///
/// A set of elements is a down-set if it holds all predecessors of what it holds. A stage is what lies between two
/// nested down-sets, so that every pair leads to the same or a later stage.
class precedence {
 public:
  /// An element, from 0.
  using element = std::uint32_t;
  /// One that may not stand on a later stage than another.
  using pair = std::pair<element, element>;

  /// No element.
  precedence() = default;

  /// @param elements  how many there are
  /// @param pairs     of elements; repeated ones and those of an element with itself say nothing
  /// @throws          argument_error for 2^32 - 1 elements or more, and for an element that there is not; invalid_input
  ///                  with the elements of a cycle. O((n + m) log m)
  precedence(std::size_t elements, std::vector<pair> pairs) {
    if (elements >= std::numeric_limits<element>::max()) {
      detail::fail(argument_error("precedence", "elements", std::to_string(elements), "must be below 2^32 - 1"));
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::erase_if(pairs, [](const pair& each) { return each.first == each.second; });
    layer_graph edges(elements);
    for (const auto& [from, to] : pairs) {
      check(from, elements);
      check(to, elements);
      edges.join(from, to);
    }
    for (const std::size_t each : edges.order()) order_.push_back(static_cast<element>(each));
    if (order_.size() != elements) detail::fail(detail::cycle_error(edges.cycle(), "element"));
    for (std::size_t e = 0; e < elements; ++e) {
      for (const std::size_t to : edges.next(e)) next_.push_back(static_cast<element>(to));
      for (const std::size_t from : edges.previous(e)) previous_.push_back(static_cast<element>(from));
      next_end_.push_back(next_.size());
      previous_end_.push_back(previous_.size());
    }
  }

  /// Number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  /// Number of pairs, each counted once.
  [[nodiscard]] std::size_t pairs() const noexcept { return next_.size(); }
  /// What may not stand on an earlier stage than an element, in ascending order.
  [[nodiscard]] view<const element> successors(std::size_t e) const noexcept { return row(next_, next_end_, e); }
  /// What may not stand on a later stage than an element, in ascending order.
  [[nodiscard]] view<const element> predecessors(std::size_t e) const noexcept {
    return row(previous_, previous_end_, e);
  }
  /// The elements in an order in which each follows its predecessors: of those that may be next, the least.
  [[nodiscard]] view<const element> order() const noexcept { return order_; }

 private:
  static view<const element> row(const std::vector<element>& all, const std::vector<std::size_t>& end, std::size_t e) {
    return {all.data() + end[e], end[e + 1] - end[e]};
  }
  static void check(element each, std::size_t elements) {
    if (each < elements) return;
    detail::fail(argument_error("precedence", "pairs", std::to_string(each),
                                detail::joined({"must be below the number of elements, ", elements})));
  }
  std::vector<element> next_{};
  std::vector<std::size_t> next_end_{0};  // of the row before each element, then of its own
  std::vector<element> previous_{};
  std::vector<std::size_t> previous_end_{0};
  std::vector<element> order_{};
};

}  // namespace stagecut::inline v0
