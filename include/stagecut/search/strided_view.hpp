// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// A view of elements `stride` apart, so that the elements of neighbouring device threads are adjacent. Trivially
/// copyable.
template <class T>
class strided_view {
 public:
  /// The type of a copied element.
  using value_type = std::remove_cv_t<T>;

  /// The empty view.
  constexpr strided_view() noexcept = default;

  /// @pre the elements are readable as long as the view is used
  STAGECUT_HOST_DEVICE constexpr strided_view(T* data, std::size_t size, std::size_t stride = 1) noexcept
      : data_(data), size_(size), stride_(stride) {}

  /// A read-only view of the same elements.
  template <class Writable>
  requires(std::is_same_v<const Writable, T> && !std::is_const_v<Writable>) STAGECUT_HOST_DEVICE
      constexpr strided_view(  // NOLINT(google-explicit-constructor)
          const strided_view<Writable>& other) noexcept
      : data_(other.data()), size_(other.size()), stride_(other.stride()) {}

  /// The first element.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr T* data() const noexcept { return data_; }
  /// Number of elements.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t size() const noexcept { return size_; }
  /// The distance between elements.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t stride() const noexcept { return stride_; }

  /// The element at `index`.
  /// @pre `index < size()`
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr T& operator[](std::size_t index) const noexcept {
    return data_[index * stride_];
  }

  /// The elements `[first, last)`.
  /// @pre `first <= last && last <= size()`
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr strided_view slice(std::size_t first, std::size_t last) const noexcept {
    return {data_ + first * stride_, last - first, stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t stride_ = 1;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
