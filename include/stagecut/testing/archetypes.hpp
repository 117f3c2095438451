// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstddef>

#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline STAGECUT_ABI::testing {

/// A cost that can only be copied and compared: no default, no arithmetic, no conversion. An algorithm that compiles with
/// it requires only `std::totally_ordered` and `std::copyable`.
class ordered_archetype {
 public:
  /// Ordered by `rank`.
  explicit constexpr ordered_archetype(std::size_t rank) noexcept : rank_(rank) {}
  /// Its only operation.
  friend constexpr auto operator<=>(const ordered_archetype&, const ordered_archetype&) = default;

 private:
  std::size_t rank_;
};

/// The minimal `monotone_cost`: the number of items, as an `ordered_archetype`. Not copyable.
class monotone_archetype {
 public:
  /// The concept's requirements.
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

/// The minimal `additive_cost`: `prefix` and the difference of two.
class additive_archetype {
 public:
  /// The concept's requirements.
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

/// The minimal cost that promises only `right_monotone`. Not copyable.
class right_monotone_archetype {
 public:
  /// The concept's requirements. A stage that begins with an odd item costs more than one that is slightly wider.
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

/// The minimal cost that promises only `left_monotone`. Not copyable.
class left_monotone_archetype {
 public:
  /// The concept's requirements. A stage that ends after an even item costs more than one that is slightly wider.
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

/// The minimal `separable_cost` that depends on the stage: `end`, `begin` and their difference, monotone on neither side.
/// Not copyable.
class separable_archetype {
 public:
  /// The concept's requirements.
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

/// The minimal `staged_cost` with the given promises: none, or one of `right_monotone`, `left_monotone` and `monotone`.
/// The number of items plus the number of previous stages, as an `ordered_archetype`. Not copyable.
template <class Axioms = axioms<>>
class staged_archetype {
 public:
  /// The concept's requirements.
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
