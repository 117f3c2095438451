// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// A cost and the index of its candidate.
template <class Cost>
struct scored {
  /// An index that no candidate has.
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  Cost value{};                ///< default, if there is no candidate
  std::uint64_t index = none;  ///< in the space

  /// Equality of both members.
  friend STAGECUT_HOST_DEVICE constexpr bool operator==(const scored& a, const scored& b) {
    return a.index == b.index && !(a.value < b.value) && !(b.value < a.value);
  }
};

namespace detail {

/// Whether a cost is invalid: NaN. For other types, the result of their `is_nan`, if they have one.
template <class Cost>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool is_no_cost(const Cost& cost) {
  if constexpr (requires { is_nan(cost); }) {
    return is_nan(cost);
  } else {
    return false;
  }
}

}  // namespace detail

/// Whether `a` comes before `b`: lower cost, or equal cost and smaller index. No candidate comes last; NaN, which is
/// not a valid cost, comes first, so that it is not overlooked.
template <class Cost>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool precedes(const scored<Cost>& a, const scored<Cost>& b) {
  if (a.index == scored<Cost>::none || b.index == scored<Cost>::none) return a.index < b.index;
  const bool no_a = detail::is_no_cost(a.value);
  const bool no_b = detail::is_no_cost(b.value);
  if (no_a || no_b) return no_a && (!no_b || a.index < b.index);
  if (a.value < b.value) return true;
  return !(b.value < a.value) && a.index < b.index;
}

/// The one of two that `precedes`. Associative and commutative, so the results of separately searched parts combine in
/// any order to the best of all.
template <class Cost>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr scored<Cost> better(const scored<Cost>& a, const scored<Cost>& b) {
  return search::precedes(b, a) ? b : a;
}

}  // namespace stagecut::inline STAGECUT_ABI::search
