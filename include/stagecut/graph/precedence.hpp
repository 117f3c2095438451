// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/rows.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The error for a cycle of elements or operators; it names the first of them.
[[nodiscard]] STAGECUT_DECL invalid_input cycle_error(const std::vector<std::size_t>& cycle, std::string_view what);

}  // namespace detail

/// A precedence relation on elements: an acyclic directed graph whose pairs state which element may not be on a later
/// stage than another, as compressed rows in both directions.
///
/// A set of elements is a down-set (order ideal) if it contains every predecessor of its elements. A stage is the
/// difference of two nested down-sets, so that every pair leads to the same or a later stage.
class precedence {
 public:
  /// An element, from 0.
  using element = std::uint32_t;
  /// A pair: the first may not be on a later stage than the second.
  using pair = std::pair<element, element>;

  /// Empty: no elements.
  precedence() = default;

  /// @param elements  number of elements
  /// @param pairs     of elements; repeated pairs and loops are ignored
  /// @throws          argument_error for 2^32 - 1 elements or more, and for an element that does not exist;
  ///                  invalid_input with the elements of a cycle. O((n + m) log m)
  precedence(std::size_t elements, std::vector<pair> pairs);

  /// Number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  /// Number of pairs, each counted once.
  [[nodiscard]] std::size_t pairs() const noexcept { return next_.entries(); }
  /// Elements that may not be on an earlier stage than this one, in ascending order.
  [[nodiscard]] view<const element> successors(std::size_t e) const noexcept { return next_[e]; }
  /// Elements that may not be on a later stage than this one, in ascending order.
  [[nodiscard]] view<const element> predecessors(std::size_t e) const noexcept { return previous_[e]; }
  /// A topological order of the elements; the least available element comes first.
  [[nodiscard]] view<const element> order() const noexcept { return order_; }

 private:
  /// Sorts the elements topologically; omits those behind a cycle.
  void sort();
  static void check(element each, std::size_t elements);

  detail::rows<element> next_{};
  detail::rows<element> previous_{};
  std::vector<element> order_{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/precedence.ipp>
#endif
