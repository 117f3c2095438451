// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Copies arrays to where somebody else reads them: `memory(array)`, for a `view<const T>`, is a view of as many equal
/// elements, which stays readable as long as `memory` says. On hosts it may be the array itself.
///
/// What owns arrays has a member `x.placed(memory)`: a trivially copyable object whose call operator says the same, carries
/// `STAGECUT_HOST_DEVICE` and reads those copies.
template <class Memory, class T>
concept memory_for = requires(Memory& memory, view<const T> array) {
  { memory(array) } -> std::same_as<view<const T>>;
};

namespace detail {

/// What says the same as `x` where the arrays of `memory` are read; a copy of what owns none.
///
/// @param x       has a member `placed`, or is trivially copyable
/// @param memory  a `memory_for` each type of element
template <class T, class Memory>
[[nodiscard]] auto placed(const T& x, Memory& memory) {
  if constexpr (requires { x.placed(memory); }) {
    static_assert(std::is_trivially_copyable_v<decltype(x.placed(memory))>);
    return x.placed(memory);
  } else {
    static_assert(std::is_trivially_copyable_v<T>, "what owns memory needs a member placed(memory)");
    return x;
  }
}

/// The type of it.
template <class T, class Memory>
using placed_t = decltype(detail::placed(std::declval<const T&>(), std::declval<Memory&>()));

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI
