// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstddef>

#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline STAGECUT_ABI::testing {

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
  using axioms = stagecut::axioms<additive>;

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

/// The least that a cost can be that promises `right_monotone` and nothing else. Not copyable.
class right_monotone_archetype {
 public:
  /// What the concept asks for. A stage that begins with an odd item costs more than one a bit wider.
  /// @{
  using axioms = stagecut::axioms<right_monotone>;

  explicit constexpr right_monotone_archetype(std::size_t items) noexcept : items_(items) {}
  right_monotone_archetype(const right_monotone_archetype&) = delete;
  right_monotone_archetype& operator=(const right_monotone_archetype&) = delete;
  ~right_monotone_archetype() = default;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return items_; }
  [[nodiscard]] constexpr ordered_archetype operator()(std::size_t first, std::size_t last) const noexcept {
    return ordered_archetype(last - first + 3 * (first % 2));
  }
  /// @}

 private:
  std::size_t items_;
};

/// The least that a cost can be that promises `left_monotone` and nothing else. Not copyable.
class left_monotone_archetype {
 public:
  /// What the concept asks for. A stage that ends behind an even item costs more than one a bit wider.
  /// @{
  using axioms = stagecut::axioms<left_monotone>;

  explicit constexpr left_monotone_archetype(std::size_t items) noexcept : items_(items) {}
  left_monotone_archetype(const left_monotone_archetype&) = delete;
  left_monotone_archetype& operator=(const left_monotone_archetype&) = delete;
  ~left_monotone_archetype() = default;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return items_; }
  [[nodiscard]] constexpr ordered_archetype operator()(std::size_t first, std::size_t last) const noexcept {
    return ordered_archetype(last - first + 3 * (last % 2));
  }
  /// @}

 private:
  std::size_t items_;
};

/// The least that a `separable_cost` of different stages can be: `end`, `begin` and their difference, which grows to
/// neither side. Not copyable.
class separable_archetype {
 public:
  /// What the concept asks for.
  /// @{
  using axioms = stagecut::axioms<separable>;

  explicit constexpr separable_archetype(std::size_t items) noexcept : items_(items) {}
  separable_archetype(const separable_archetype&) = delete;
  separable_archetype& operator=(const separable_archetype&) = delete;
  ~separable_archetype() = default;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return items_; }
  [[nodiscard]] constexpr int end(std::size_t stage, std::size_t last) const noexcept {
    return static_cast<int>(last + 3 * ((stage + last) % 2));
  }
  [[nodiscard]] constexpr int begin(std::size_t stage, std::size_t first) const noexcept {
    return static_cast<int>(first) - static_cast<int>(5 * ((stage + first) % 2));
  }
  [[nodiscard]] constexpr int operator()(std::size_t stage, std::size_t first, std::size_t last) const noexcept {
    return end(stage, last) - begin(stage, first);
  }
  /// @}

 private:
  std::size_t items_;
};

/// The least that a `staged_cost` with some promises can be, each of which may be none or one of `right_monotone`,
/// `left_monotone` and `monotone`: the number of items and that of the stages before, as an `ordered_archetype`. Not
/// copyable.
template <class Axioms = axioms<>>
class staged_archetype {
 public:
  /// What the concept asks for.
  /// @{
  using axioms = Axioms;

  explicit constexpr staged_archetype(std::size_t items) noexcept : items_(items) {}
  staged_archetype(const staged_archetype&) = delete;
  staged_archetype& operator=(const staged_archetype&) = delete;
  ~staged_archetype() = default;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return items_; }
  [[nodiscard]] constexpr ordered_archetype operator()(std::size_t stage, std::size_t first,
                                                       std::size_t last) const noexcept {
    return ordered_archetype(stage + last - first);
  }
  /// @}

 private:
  std::size_t items_;
};

}  // namespace stagecut::inline STAGECUT_ABI::testing
