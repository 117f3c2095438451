// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstddef>

#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline v0::testing {

/// A cost that can be copied and compared, and nothing else: no default, no arithmetic, no conversion. An algorithm
/// that compiles with it asks for no more than `std::totally_ordered` and `std::copyable`.
class ordered_archetype {
 public:
  /// Ordered by `rank`.
  explicit constexpr ordered_archetype(std::size_t rank) noexcept : rank_(rank) {}
  /// All that can be done with it.
  friend constexpr auto operator<=>(const ordered_archetype&, const ordered_archetype&) = default;

 private:
  std::size_t rank_;
};

/// The least that a `monotone_cost` can be: the number of items, as an `ordered_archetype`. Not copyable.
class monotone_archetype {
 public:
  /// What the concept asks for.
  /// @{
  using axioms = stagecut::axioms<monotone>;

  explicit constexpr monotone_archetype(std::size_t items) noexcept : items_(items) {}
  monotone_archetype(const monotone_archetype&) = delete;
  monotone_archetype& operator=(const monotone_archetype&) = delete;
  ~monotone_archetype() = default;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return items_; }
  [[nodiscard]] constexpr ordered_archetype operator()(std::size_t first, std::size_t last) const noexcept {
    return ordered_archetype(last - first);
  }
  /// @}

 private:
  std::size_t items_;
};

/// The least that an `additive_cost` can be: `prefix` and the difference of two.
class additive_archetype {
 public:
  /// What the concept asks for.
  /// @{
  using axioms = stagecut::axioms<monotone, additive>;

  explicit constexpr additive_archetype(std::size_t items) noexcept : items_(items) {}
  additive_archetype(const additive_archetype&) = delete;
  additive_archetype& operator=(const additive_archetype&) = delete;
  ~additive_archetype() = default;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return items_; }
  [[nodiscard]] constexpr int prefix(std::size_t item) const noexcept { return static_cast<int>(item * item); }
  [[nodiscard]] constexpr int operator()(std::size_t first, std::size_t last) const noexcept {
    return prefix(last) - prefix(first);
  }
  /// @}

 private:
  std::size_t items_;
};

}  // namespace stagecut::inline v0::testing
