// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The default type for sums of items of type `T`: 64 bits of the same kind.
template <arithmetic T>
using sum_t = std::conditional_t<std::floating_point<T>, double,
                                 std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>>;

/// A type for sums of items: `double` or an integer.
template <class Sum>
concept sum_type = arithmetic<Sum> && !std::same_as<Sum, float>;

/// An item that a sum of type `Sum` accepts unchanged: floating-point items in a `double`, integers in an integer.
template <class T, class Sum>
concept item_of = sum_type<Sum> && arithmetic<T> && std::bool_constant < integer<T>
== integer < Sum >> ::value;

/// A contiguous container of such items.
template <class Container, class Sum>
concept summable_to = item_of<element_t<Container>, Sum>;

/// A temporary container of such items.
template <class Container, class Sum>
concept temporary_of = !std::is_reference_v<Container> && !borrowed_range<Container> && summable_to<Container, Sum>;

namespace detail {

/// A value that resets to its default when its owner is moved from.
template <class T>
struct empty_when_moved {
  T value{};

  empty_when_moved() = default;
  empty_when_moved(const empty_when_moved&) = default;
  empty_when_moved(empty_when_moved&& other) noexcept : value(std::exchange(other.value, T{})) {}
  empty_when_moved& operator=(const empty_when_moved&) = default;
  empty_when_moved& operator=(empty_when_moved&& other) noexcept {
    value = std::exchange(other.value, T{});
    return *this;
  }
  ~empty_when_moved() = default;
};

template <arithmetic T>
[[nodiscard]] inline std::string number_text(T x) {
  if constexpr (integer<T>) {
    return std::to_string(x);
  } else {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(x));
    return text;
  }
}

[[nodiscard]] inline std::string item_place(std::size_t item) { return joined({"item ", item}); }

/// Throws `invalid_input` for the first item that a sum cannot accept.
template <arithmetic T>
inline void check_items(view<const T> items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const char* const problem = is_nan(items[i])        ? "is NaN"
                                : !is_finite(items[i])  ? "is infinite"
                                : is_negative(items[i]) ? "is negative"
                                                        : nullptr;
    if (problem != nullptr) {
      fail(invalid_input(item_place(i), joined({number_text(items[i]), " ", problem})));
    }
  }
}

// Out of line: this leaves a few instructions of `add_item` in the loop that calls it.
[[noreturn, gnu::noinline, gnu::cold]] inline void fail_overflow(std::size_t item) {
  fail(invalid_input(item_place(item), "the sum of the items up to this one overflows"));
}

template <integer T>
[[noreturn, gnu::noinline, gnu::cold]] inline void fail_negative(T item, std::size_t index) {
  fail(invalid_input(item_place(index), joined({number_text(item), " is negative"})));
}

/// Adds an integer item to `sum`, or throws `invalid_input` naming the item.
template <integer Sum, integer T>
constexpr void add_item(Sum& sum, T item, std::size_t index) {
  if (is_negative(item)) detail::fail_negative(item, index);
  if (!checked_add(sum, item)) fail_overflow(index);
}

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI
