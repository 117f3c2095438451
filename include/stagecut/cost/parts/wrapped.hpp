// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <stagecut/core/config.hpp>

// What adaptors of costs, constraints and pipeline models hold of the objects that they adapt.
namespace stagecut::inline STAGECUT_ABI::detail {

/// What `std::make_pair` makes of a value of type `T`: `U&` for `std::reference_wrapper<U>`, `T` otherwise. It names that
/// wrapper without <functional>, which is as large as all other standard headers of costs.
template <class T>
using unwrapped_t = typename decltype(std::make_pair(std::declval<const T&>(), 0))::first_type;

/// A `std::reference_wrapper`. The first two requirements spare all other types the third.
template <class T>
concept reference_wrapper = requires(const T& wrapper) {
  typename T::type;
  { wrapper.get() } -> std::same_as<typename T::type&>;
  requires std::is_reference_v<unwrapped_t<T>>;
};

template <class T>
struct wrapped {
  using type = T;
};
template <reference_wrapper T>
struct wrapped<T> {
  using type = const typename T::type&;
};

/// The template argument of an adaptor that is given a `T`: `T` itself for a copy, or `const U&` for
/// `std::reference_wrapper<U>`.
template <class T>
using wrapped_t = typename wrapped<T>::type;

/// What an adaptor holds: a copy, or for `const T&` a reference to an object that outlives it.
template <class T>
class holder {
 public:
  constexpr holder(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] constexpr const T& operator*() const noexcept { return value_; }
  [[nodiscard]] constexpr const T* operator->() const noexcept { return __builtin_addressof(value_); }

 private:
  T value_;
};
template <class T>
class holder<const T&> {
 public:
  constexpr holder(const T& value) noexcept  // NOLINT(google-explicit-constructor)
      : value_(__builtin_addressof(value)) {}
  constexpr holder(const T&&) = delete;  // the temporary would die before use
  template <reference_wrapper Wrapper>
  constexpr holder(const Wrapper& wrapper) noexcept  // NOLINT(google-explicit-constructor)
      : holder(static_cast<const T&>(wrapper.get())) {}

  [[nodiscard]] constexpr const T& operator*() const noexcept { return *value_; }
  [[nodiscard]] constexpr const T* operator->() const noexcept { return value_; }

 private:
  const T* value_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
