// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/search/candidate_space.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// Candidates stored in an array, one after the other. Trivially copyable: the array may be in device memory.
struct candidate_view {
  view<const std::uint32_t> numbers{};  ///< of all candidates
  std::size_t width = 1;                ///< of each

  /// See `candidate_space`.
  /// @{
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::uint64_t size() const noexcept {
    return width == 0 ? 0 : numbers.size() / width;
  }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t points() const noexcept { return width; }
  STAGECUT_HOST_DEVICE constexpr void decode(std::uint64_t index, candidate_room room) const noexcept {
    for (std::size_t i = 0; i < width; ++i) room[i] = numbers[index * width + i];
  }
  /// @}
};

/// A list of candidates, in its order.
class candidate_list {
 public:
  /// @param width  numbers of each candidate, at least 1
  /// @throws       argument_error for 0
  explicit candidate_list(std::size_t width) : width_(width) {
    if (width == 0)
      stagecut::detail::fail(argument_error("search::candidate_list", "width", "0", "must be at least 1"));
  }

  /// Adds a candidate.
  /// @throws argument_error for one of another width, and for a number of 2^32 or more
  template <class Number>
  void add(view<Number> points) {
    static_assert(std::is_integral_v<Number>, "candidate_list::add takes the integers of a candidate, as {0, 2, 5}");
    if (points.size() != width_) {
      stagecut::detail::fail(argument_error("search::candidate_list::add", "points.size()",
                                            std::to_string(points.size()),
                                            stagecut::detail::joined({"must be ", width_})));
    }
    for (const auto& point : points) {
      if (!std::in_range<std::uint32_t>(point)) {
        stagecut::detail::fail(argument_error("search::candidate_list::add", "points", std::to_string(point),
                                              "must be from 0 to below 2^32"));
      }
    }
    for (const auto& point : points) numbers_.push_back(static_cast<std::uint32_t>(point));
  }
  /// The same.
  /// @{
  template <class Number>
  void add(const std::vector<Number>& points) {
    add(view<const Number>(points));
  }
  void add(std::initializer_list<std::uint32_t> points) {
    add(view<const std::uint32_t>(points.begin(), points.size()));
  }
  /// @}

  /// See `candidate_space`.
  /// @{
  [[nodiscard]] std::uint64_t size() const noexcept { return numbers_.size() / width_; }
  [[nodiscard]] std::size_t points() const noexcept { return width_; }
  void decode(std::uint64_t index, candidate_room room) const noexcept {
    candidate_view{numbers_, width_}.decode(index, room);
  }
  template <class Memory>
  [[nodiscard]] candidate_view placed(Memory& memory) const {
    return {memory(view<const std::uint32_t>(numbers_)), width_};
  }
  /// @}

 private:
  std::size_t width_;
  std::vector<std::uint32_t> numbers_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::search
