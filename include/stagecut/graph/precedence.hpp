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

/// What is wrong with a cycle of elements or operators, with the first of them.
[[nodiscard]] STAGECUT_DECL invalid_input cycle_error(const std::vector<std::size_t>& cycle, std::string_view what);

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
  precedence(std::size_t elements, std::vector<pair> pairs);

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
