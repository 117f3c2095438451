// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>

#include <stagecut/core/arithmetic.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The role in which a set of elements is priced.
struct stage_role {
  std::size_t kind = 0;    ///< of its device: 0 an accelerator, 1 a CPU
  std::size_t stage = 0;   ///< its number, from 0
  std::size_t stages = 1;  ///< number of stages

  /// Member-wise equality.
  friend bool operator==(const stage_role&, const stage_role&) = default;
};

/// A set of elements, empty at first, and its cost as a stage of a graph: what every graph partitioner requires.
/// `add(e)` and `remove(e)` change it, `value(role)` is its cost, a number, and `size()` the number of elements to
/// choose from. Copies are independent sets.
///
/// Optional members:
///
/// | member | meaning | without it |
/// |---|---|---|
/// | `fits(role)` | whether the set may be such a stage | it may |
/// | `may_grow(role)` | false: neither the set nor any that holds it fits | it may |
/// | `least(role)` | no set that holds this one costs less | nothing is known |
/// | `weight(e, kind)` | a set costs at least the sum of the weights of its elements | they are 0 |
/// | `unit()` | a common divisor of every value, above 0 | nothing is known |
/// | `by_position()` | whether `value` and `fits` depend on the stage's number | they do |
///
/// Axioms: pure except `add` and `remove`; the value depends only on the set and the role, not on its history; it is
/// never negative or NaN; `least` and `weight` are true bounds. A violation gives a wrong answer, no undefined
/// behaviour.
template <class Set>
concept set_cost = std::copyable<Set> && requires(Set& set, const Set& same, std::size_t e, const stage_role& role) {
  { same.size() } -> std::convertible_to<std::size_t>;
  set.add(e);
  set.remove(e);
  { same.value(role) } -> arithmetic;
};

/// The type of a set's cost.
template <set_cost Set>
using set_value_t = decltype(std::declval<const Set&>().value(stage_role{}));

namespace detail {

/// The value of an optional member, or its default.
/// @{
template <class Set>
[[nodiscard]] bool set_fits(const Set& set, const stage_role& role) {
  if constexpr (requires { set.fits(role); }) return set.fits(role);
  return true;
}
template <class Set>
[[nodiscard]] bool set_may_grow(const Set& set, const stage_role& role) {
  if constexpr (requires { set.may_grow(role); }) return set.may_grow(role);
  return true;
}
template <class Set>
[[nodiscard]] set_value_t<Set> set_least(const Set& set, const stage_role& role) {
  if constexpr (requires { set.least(role); }) return set.least(role);
  return 0;
}
template <class Set>
[[nodiscard]] set_value_t<Set> set_weight(const Set& set, std::size_t e, std::size_t kind) {
  if constexpr (requires { set.weight(e, kind); }) return set.weight(e, kind);
  return 0;
}
/// The next value above `bound` that a set can have, if values are whole numbers.
template <class Set>
[[nodiscard]] set_value_t<Set> next_value(const Set& set, set_value_t<Set> bound) {
  if constexpr (integer<set_value_t<Set>> && requires { set.unit(); }) {
    const auto unit = static_cast<set_value_t<Set>>(set.unit());
    const set_value_t<Set> above = unit > 1 && bound % unit != 0 ? unit - bound % unit : 0;
    return bound > std::numeric_limits<set_value_t<Set>>::max() - above ? bound : bound + above;
  } else {
    return bound;
  }
}
template <class Set>
[[nodiscard]] bool set_by_position(const Set& set) {
  if constexpr (requires { set.by_position(); }) return set.by_position();
  return true;
}
/// @}

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI
