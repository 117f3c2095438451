// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Copies arrays to memory that another reader uses: `memory(array)`, for a `view<const T>`, is a view of the same number
/// of equal elements, which stays readable as long as `memory` specifies. On hosts it may be the array itself.
///
/// An owner of arrays has a member `x.placed(memory)`: a trivially copyable object whose call operator gives the same
/// results, is marked `STAGECUT_HOST_DEVICE` and reads those copies.
template <class Memory, class T>
concept memory_for = requires(Memory& memory, view<const T> array) {
  { memory(array) } -> std::same_as<view<const T>>;
};

namespace detail {

/// An equivalent of `x` that reads the arrays of `memory`; a copy if `x` owns no arrays.
///
/// @param x       has a member `placed`, or is trivially copyable
/// @param memory  a `memory_for` each element type
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

/// Its type.
template <class T, class Memory>
using placed_t = decltype(detail::placed(std::declval<const T&>(), std::declval<Memory&>()));

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI
