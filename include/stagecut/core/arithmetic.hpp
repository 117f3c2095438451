// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <stagecut/core/config.hpp>
#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// An integer of at most 64 bits, not `bool`.
template <class T>
concept integer = std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8;

/// A type for sums and costs: an `integer`, or a binary floating-point type of 32 or 64 bits.
template <class T>
concept arithmetic = integer<T> || std::same_as<T, float> || std::same_as<T, double>;

namespace detail {

template <std::floating_point T>
using bits_t = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <std::floating_point T>
inline constexpr bits_t<T> sign_bit = bits_t<T>{1} << (8 * sizeof(T) - 1);

template <std::floating_point T>
inline constexpr bits_t<T> infinity_bits = __builtin_bit_cast(bits_t<T>, std::numeric_limits<T>::infinity());

// Limits as constants: device code may read these, but not call `std::numeric_limits`.
template <integer T>
inline constexpr T least_integer = std::numeric_limits<T>::min();
/// `x`, opaque to the optimizer of a host compiler.
template <class T>
[[nodiscard, gnu::always_inline]] constexpr T unseen(T x) noexcept {
  if constexpr (!requires { x % x; }) {
    if (!__builtin_is_constant_evaluated()) {
#if defined(__SSE2__)
      asm("" : "+x"(x));
#elif defined(__aarch64__)
      asm("" : "+w"(x));
#else
      asm("" : "+m"(x));
#endif
    }
  }
  return x;
}

/// `x`, or a vector of such, opaque to compilers that may reorder sums (`-ffast-math`). It costs no instruction. Integers
/// of any width have no rounding; device compilers do not reorder.
/// @{
template <class T>
[[nodiscard, gnu::always_inline]] constexpr T as_computed(T x) noexcept {
  return detail::unseen(x);
}
template <arithmetic T>
[[nodiscard, gnu::always_inline]] STAGECUT_HOST_DEVICE constexpr T as_computed(T x) noexcept {
#if defined(__CUDA_ARCH__)
  return x;
#else
  return detail::unseen(x);
#endif
}
/// @}

/// Holds any sum of 64-bit integers, and its product with a number of stages.
__extension__ typedef __int128 wide_integer;  // NOLINT(modernize-use-using)

/// `a - b` and `a + b` as computed; for integers that overflow, the low bits. Costs that break their promises may
/// overflow: they get a wrong number, not undefined behaviour.
/// @{
template <class A, class B>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr auto difference(A a, B b) {
  if constexpr (integer<A> && integer<B>) {
    using number_t = decltype(a - b);
    using bits_t = std::make_unsigned_t<number_t>;
    return static_cast<number_t>(static_cast<bits_t>(a) - static_cast<bits_t>(b));
  } else if constexpr (arithmetic<decltype(a - b)>) {
    return detail::as_computed(a - b);
  } else {
    return a - b;
  }
}
template <class T>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr T added(const T& a, const T& b) {
  if constexpr (integer<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return static_cast<T>(a + b);
  }
}
/// @}

}  // namespace detail

/// Whether `x` is NaN, tested by its bits, which also works with `-ffast-math`. Integers never are.
template <arithmetic T>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool is_nan(T x) noexcept {
  if constexpr (std::floating_point<T>) {
    return (__builtin_bit_cast(detail::bits_t<T>, x) & ~detail::sign_bit<T>) > detail::infinity_bits<T>;
  } else {
    return false;
  }
}

/// Whether `x` is neither NaN nor infinite, tested by its bits.
template <arithmetic T>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool is_finite(T x) noexcept {
  if constexpr (std::floating_point<T>) {
    return (__builtin_bit_cast(detail::bits_t<T>, x) & ~detail::sign_bit<T>) < detail::infinity_bits<T>;
  } else {
    return true;
  }
}

/// Whether `x` is below zero; false for -0.0 and NaN.
template <arithmetic T>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool is_negative(T x) noexcept {
  if constexpr (std::floating_point<T>) {
    return !is_nan(x) && __builtin_bit_cast(detail::bits_t<T>, x) > detail::sign_bit<T>;
  } else if constexpr (std::signed_integral<T>) {
    return x < 0;
  } else {
    return false;
  }
}

/// Adds into `sum`; returns whether the true sum is representable, and otherwise leaves `sum` unchanged. For hosts only:
/// sums are checked when the data enters.
template <integer Sum, integer T>
[[nodiscard]] constexpr bool checked_add(Sum& sum, T x) noexcept {
  Sum result{};
  if (__builtin_add_overflow(sum, x, &result)) return false;
  sum = result;
  return true;
}

/// Maps a number to an unsigned integer of the same order (`a < b` exactly if `ordered_bits(a) < ordered_bits(b)`, except
/// that -0.0 precedes 0.0), so that any two numbers have a midpoint: `from_ordered_bits` is the inverse.
///
/// @pre `x` is not NaN
template <arithmetic T>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr auto ordered_bits(T x) noexcept {
  if constexpr (std::floating_point<T>) {
    const auto bits = __builtin_bit_cast(detail::bits_t<T>, x);
    return static_cast<detail::bits_t<T>>((bits & detail::sign_bit<T>) != 0 ? ~bits : bits | detail::sign_bit<T>);
  } else {
    using unsigned_t = std::make_unsigned_t<T>;
    constexpr auto lowest = static_cast<unsigned_t>(detail::least_integer<T>);
    return static_cast<unsigned_t>(static_cast<unsigned_t>(x) - lowest);
  }
}

/// The number whose `ordered_bits` are `bits`.
template <arithmetic T, std::unsigned_integral Bits>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr T from_ordered_bits(Bits bits) noexcept {
  if constexpr (std::floating_point<T>) {
    const bool negative = (bits & detail::sign_bit<T>) == 0;
    return __builtin_bit_cast(T, static_cast<Bits>(negative ? ~bits : bits & ~detail::sign_bit<T>));
  } else {
    using unsigned_t = std::make_unsigned_t<T>;
    constexpr auto lowest = static_cast<unsigned_t>(detail::least_integer<T>);
    return static_cast<T>(static_cast<unsigned_t>(bits + lowest));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/core/detail/arithmetic.ipp>
#endif
