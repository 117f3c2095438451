// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Whether an interval has an item of a kind, from counts of such items before each item.
struct placed_counts {
  view<const std::size_t> before;  ///< of length n + 1

  /// @pre `first <= last <= n`
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()(std::size_t, std::size_t first, std::size_t last) const noexcept {
    return before[first] < before[last];
  }
};

}  // namespace detail

/// The constraint that every stage holds at least one item of a kind: a transformer block, a layer with trainable
/// parameters. Not hereditary. O(1).
class at_least_one {
 public:
  /// Its promise: independent of the stage's number.
  using axioms = stagecut::axioms<stage_invariant>;

  /// @param of_kind  whether an item is of the kind, for every item
  explicit at_least_one(const std::vector<bool>& of_kind) {
    for (const bool each : of_kind) add(each);
  }

  /// @param items    a contiguous container that describes every item
  /// @param of_kind  `of_kind(item)`, whether the item is of the kind
  template <class Container, class Predicate>
  requires requires(const Container& items, Predicate of_kind) {
    { of_kind(*std::data(items)) } -> std::convertible_to<bool>;
  }
  at_least_one(const Container& items, Predicate of_kind) {
    for (const auto& item : view<const element_t<Container>>(items)) add(of_kind(item));
  }

  /// Number of items n of the chain.
  [[nodiscard]] std::size_t size() const noexcept { return before_.size() - 1; }

  /// Whether one of the items `[first, last)` is of the kind.
  /// @pre    `first <= last`
  /// @throws argument_error if the chain has more items
  [[nodiscard]] bool operator()(std::size_t, std::size_t first, std::size_t last) const;

  /// Whether neither these items nor any after them are.
  /// @pre as for the call
  [[nodiscard]] bool hopeless(std::size_t, std::size_t first, std::size_t last) const;

  /// Why no cut into that number of stages satisfies it; none if one does.
  /// @throws argument_error if the chain has another number of items
  [[nodiscard]] std::optional<reason> obstacle(std::size_t items, std::size_t stages) const;

  /// The same constraint on a copy of the counts: see `memory_for`. Arguments are not checked.
  template <memory_for<std::size_t> Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    return detail::placed_counts{memory(view<const std::size_t>(before_))};
  }

 private:
  [[noreturn]] void refuse(std::size_t items) const;
  void add(bool of_kind) { before_.push_back(before_.back() + (of_kind ? 1 : 0)); }

  std::vector<std::size_t> before_{0};  ///< number of items of the kind among the first i; of length n + 1
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/at_least_one.ipp>
#endif
