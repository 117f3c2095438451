// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/search/candidate_space.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The product, or the largest number on overflow.
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::uint64_t saturating_product(std::uint64_t a,
                                                                              std::uint64_t b) noexcept {
  return a != 0 && b > ~std::uint64_t{0} / a ? ~std::uint64_t{0} : a * b;
}

/// The device view of `configurations`.
struct configuration_axes {
  view<const std::uint32_t> sizes{};
  std::uint64_t all = 0;

  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::uint64_t size() const noexcept { return all; }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t points() const noexcept { return sizes.size(); }
  STAGECUT_HOST_DEVICE constexpr void decode(std::uint64_t index, candidate_room room) const noexcept {
    for (std::size_t i = sizes.size(); i-- > 0; index /= sizes[i])
      room[i] = static_cast<std::uint32_t>(index % sizes[i]);
  }
};

}  // namespace detail

/// All choices of one value per axis, each given by its index on the axis; the last axis varies fastest.
class configurations {
 public:
  /// @param sizes  number of values per axis; an empty axis leaves no candidate
  explicit configurations(std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes)), all_(sizes_.empty() ? 0 : 1) {
    for (const std::uint32_t each : sizes_) all_ = detail::saturating_product(all_, each);
  }

  /// See `candidate_space`.
  /// @{
  [[nodiscard]] std::uint64_t size() const noexcept { return all_; }
  [[nodiscard]] std::size_t points() const noexcept { return sizes_.size(); }
  void decode(std::uint64_t index, candidate_room room) const noexcept {
    detail::configuration_axes{sizes_, all_}.decode(index, room);
  }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    return detail::configuration_axes{memory(view<const std::uint32_t>(sizes_)), all_};
  }
  /// @}

 private:
  std::vector<std::uint32_t> sizes_;
  std::uint64_t all_;
};

/// All pairs of candidates of two spaces: the elements of the first, then those of the second, which varies fastest.
/// Trivially copyable if both are.
template <class A, class B>
class product {
  static_assert(
      candidate_space<A> && candidate_space<B>,
      "product(first, second) takes two candidate spaces, as all_cuts(items, stages) or configurations(sizes)");

 public:
  /// @param first   kept as a copy
  /// @param second  kept as a copy
  /// @throws        argument_error if there are 2^64 - 1 pairs or more
  product(A first, B second) : first_(std::move(first)), second_(std::move(second)) {
    if (detail::saturating_product(first_.size(), second_.size()) == ~std::uint64_t{0}) {
      stagecut::detail::fail(argument_error("search::product", "first.size() * second.size()",
                                            std::to_string(first_.size()) + " * " + std::to_string(second_.size()),
                                            "must be below 2^64 - 1"));
    }
  }

  /// See `candidate_space`.
  /// @{
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::uint64_t size() const noexcept {
    return first_.size() * second_.size();
  }
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t points() const noexcept {
    return first_.points() + second_.points();
  }
  STAGECUT_CALLS_ANY
  STAGECUT_HOST_DEVICE constexpr void decode(std::uint64_t index, candidate_room room) const {
    first_.decode(index / second_.size(), room.slice(0, first_.points()));
    second_.decode(index % second_.size(), room.slice(first_.points(), points()));
  }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    const auto first = stagecut::detail::placed(first_, memory);
    const auto second = stagecut::detail::placed(second_, memory);
    return product<std::remove_const_t<decltype(first)>, std::remove_const_t<decltype(second)>>(first, second);
  }
  /// @}

 private:
  A first_;
  B second_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
