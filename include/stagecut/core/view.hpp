// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI {

template <class T>
class view;

/// A container of contiguous elements, from a pointer to `T` on.
template <class Container, class T>
concept contiguous_of = requires(Container& container) {
  { std::data(container) } -> std::convertible_to<T*>;
  { std::size(container) } -> std::convertible_to<std::size_t>;
};

/// Such a container, except a `view<T>`.
template <class Container, class T>
concept viewable_as = contiguous_of<Container, T> && !std::same_as<std::remove_cvref_t<Container>, view<T>>;

/// A non-owning view of contiguous elements, as `std::span`, but with members that device code may call.
///
/// Converts from any contiguous container (vector, array, span, C array, initializer list) of `T`. Trivially copyable.
template <class T>
class view {
 public:
  /// As in `std::span`.
  /// @{
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using iterator = T*;
  /// @}

  /// No elements.
  constexpr view() noexcept = default;

  /// The `size` elements from `data` on.
  /// @pre `[data, data + size)` is readable as long as the view is used
  STAGECUT_HOST_DEVICE constexpr view(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  /// All elements of a container, which must outlive the view.
  template <viewable_as<T> Container>
  constexpr view(Container&& container) noexcept  // NOLINT(google-explicit-constructor)
      : data_(std::data(container)), size_(std::size(container)) {}

  /// As in `std::span`.
  /// @{
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr T* begin() const noexcept { return data_; }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr T* end() const noexcept { return data_ + size_; }
  /// @}

  /// The element at `index`.
  /// @pre `index < size()`
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }

  /// The elements `[first, last)`.
  /// @pre `first <= last && last <= size()`
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr view slice(std::size_t first, std::size_t last) const noexcept {
    return {data_ + first, last - first};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The element type of a contiguous container.
template <class Container>
using element_t = std::remove_cvref_t<decltype(*std::data(std::declval<const Container&>()))>;

/// Whether a container only refers to its elements, as `view` and `std::span` do: a const one may then have mutable
/// elements.
template <class Container>
inline constexpr bool borrowed_range =
    std::same_as<decltype(std::data(std::declval<std::remove_cvref_t<Container>&>())),
                 decltype(std::data(std::declval<const std::remove_cvref_t<Container>&>()))>;

/// The type, deduced from the argument.
template <class Container>
view(Container&&) -> view<std::remove_reference_t<decltype(*std::data(std::declval<Container&>()))>>;

}  // namespace stagecut::inline STAGECUT_ABI
