// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// A cost, and the index of the candidate that has it.
template <class Cost>
struct scored {
  /// An index that no candidate has.
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  Cost cost{};                 ///< that of no candidate, if there is none
  std::uint64_t index = none;  ///< in the space

  /// Equal in both parts.
  friend STAGECUT_HOST_DEVICE constexpr bool operator==(const scored& a, const scored& b) {
    return a.index == b.index && !(a.cost < b.cost) && !(b.cost < a.cost);
  }
};

namespace detail {

/// Whether a cost is none: NaN. Of types that are no numbers, what their own `is_nan` says, if there is one.
template <class Cost>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool is_no_cost(const Cost& cost) {
  if constexpr (requires { is_nan(cost); }) {
    return is_nan(cost);
  } else {
    return false;
  }
}

}  // namespace detail

/// Whether `a` comes before `b`: it costs less, or as much and has the smaller index. No candidate comes last, and NaN, which
/// is no cost, first, so that it is not overlooked.
template <class Cost>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool precedes(const scored<Cost>& a, const scored<Cost>& b) {
  if (a.index == scored<Cost>::none || b.index == scored<Cost>::none) return a.index < b.index;
  const bool no_a = detail::is_no_cost(a.cost);
  const bool no_b = detail::is_no_cost(b.cost);
  if (no_a || no_b) return no_a && (!no_b || a.index < b.index);
  if (a.cost < b.cost) return true;
  return !(b.cost < a.cost) && a.index < b.index;
}

/// The one of two that `precedes`. Parts of a space that are searched apart, in whatever order, come to the best of all:
/// associative and commutative.
template <class Cost>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr scored<Cost> better(const scored<Cost>& a, const scored<Cost>& b) {
  return search::precedes(b, a) ? b : a;
}

}  // namespace stagecut::inline STAGECUT_ABI::search
