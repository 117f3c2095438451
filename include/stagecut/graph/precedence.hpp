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
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/profile/layer_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

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
    for (const auto& [from, to] : pairs) {
      check(from, elements);
      check(to, elements);
    }
    const auto from_of = [&](std::size_t i) { return pairs[i].first; };
    const auto to_of = [&](std::size_t i) { return pairs[i].second; };
    next_ = {elements, pairs.size(), from_of, to_of};
    previous_ = {elements, pairs.size(), to_of, from_of};
    sort();
    if (order_.size() == elements) return;
    layer_graph edges(elements);
    for (const auto& [from, to] : pairs) edges.join(from, to);
    detail::fail(detail::cycle_error(edges.cycle(), "element"));
  }

  /// Number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  /// Number of pairs, each counted once.
  [[nodiscard]] std::size_t pairs() const noexcept { return next_.entries(); }
  /// What may not stand on an earlier stage than an element, in ascending order.
  [[nodiscard]] view<const element> successors(std::size_t e) const noexcept { return next_[e]; }
  /// What may not stand on a later stage than an element, in ascending order.
  [[nodiscard]] view<const element> predecessors(std::size_t e) const noexcept { return previous_[e]; }
  /// The elements in an order in which each follows its predecessors: of those that may be next, the least.
  [[nodiscard]] view<const element> order() const noexcept { return order_; }

 private:
  /// Puts the elements in order; those that wait for a cycle are left out.
  void sort() {
    const std::size_t elements = next_.size();
    detail::least_first ready;
    std::vector<element> waits_for(elements);
    for (std::size_t e = 0; e < elements; ++e) {
      waits_for[e] = static_cast<element>(predecessors(e).size());
      if (waits_for[e] == 0) ready.put(e);
    }
    order_.reserve(elements);
    while (!ready.empty()) {
      order_.push_back(static_cast<element>(ready.take()));
      for (const element to : successors(order_.back())) {
        if (--waits_for[to] == 0) ready.put(to);
      }
    }
  }
  static void check(element each, std::size_t elements) {
    if (each < elements) return;
    detail::fail(argument_error("precedence", "pairs", std::to_string(each),
                                detail::joined({"must be below the number of elements, ", elements})));
  }

  detail::rows<element> next_{};
  detail::rows<element> previous_{};
  std::vector<element> order_{};
};

}  // namespace stagecut::inline STAGECUT_ABI
