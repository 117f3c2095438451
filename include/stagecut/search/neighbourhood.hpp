// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/search/candidate_space.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The device view of `neighbourhood`.
struct neighbourhood_view {
  view<const std::uint32_t> centre{};  // points
  std::uint64_t steps = 0;             // the farthest move of a run, in one direction
  bool pairs = false;

  /// The runs that begin with the first inner point, with the second, ...; a run has 2 * steps moves.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::uint64_t moves() const noexcept {
    const std::uint64_t inner = centre.size() - 2;
    return inner * (inner + 1) / 2 * 2 * steps;
  }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::uint64_t size() const noexcept {
    return 1 + moves() + (pairs ? moves() * moves() : 0);
  }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t points() const noexcept { return centre.size(); }

  STAGECUT_HOST_DEVICE constexpr void decode(std::uint64_t index, candidate_room room) const noexcept {
    for (std::size_t i = 0; i < centre.size(); ++i) room[i] = centre[i];
    if (index == 0) return;
    --index;
    const std::uint64_t all = moves();
    if (index < all) {
      move(index, room);
    } else {
      index -= all;
      move(index / all, room);
      move(index % all, room);
    }
    for (std::size_t i = 1; i < centre.size(); ++i) {
      if (room[i - 1] < room[i]) continue;
      for (std::size_t j = 0; j < centre.size(); ++j) room[j] = centre[j];  // not a cut
      return;
    }
  }

  /// Moves one run; a point that would leave the chain wraps or passes its neighbour, so the result is not a cut.
  STAGECUT_HOST_DEVICE constexpr void move(std::uint64_t number, candidate_room room) const noexcept {
    const std::uint64_t by = number % (2 * steps);
    std::uint64_t run = number / (2 * steps);
    const std::uint64_t inner = centre.size() - 2;
    std::uint64_t begin = 1;
    for (std::uint64_t length = inner; run >= length; --length, ++begin) run -= length;
    const auto far = static_cast<std::uint32_t>(by / 2 + 1);
    for (std::uint64_t i = begin; i <= begin + run; ++i) {
      room[i] = by % 2 == 1 ? room[i] + far : room[i] - far;
    }
  }
};

}  // namespace detail

/// The cuts near a cut: the cut itself, those with one run of neighbouring points moved by some items to one side, and
/// optionally those with two such moves. A move that would not give a cut leaves the cut unchanged, so that the size is
/// known at once.
class neighbourhood {
 public:
  /// @param centre  of two stages or more
  /// @param steps   the farthest move of a run in items, at least 1
  /// @param pairs   whether two runs may move
  /// @throws        argument_error for less, and for a size of 2^63 or more
  explicit neighbourhood(const cuts& centre, std::uint32_t steps = 1, bool pairs = false)
      : steps_(steps), pairs_(pairs) {
    const view<const std::size_t> points = centre.points();
    if (points.size() < 3) refuse("centre.stages()", centre.stages(), "must be at least 2");
    if (centre.items() > 0x7FFFFFFF) refuse("centre.items()", centre.items(), "must be below 2^31");
    if (steps == 0 || steps > 0x7FFFFFFF) refuse("steps", steps, "must be at least 1 and below 2^31");
    for (const std::size_t point : points) centre_.push_back(static_cast<std::uint32_t>(point));
    const std::uint64_t most = pairs ? std::uint64_t{1} << 31U : std::uint64_t{1} << 62U;
    const std::uint64_t inner = points.size() - 2;
    if (inner * (inner + 1) > most / steps) refuse("steps", steps, "must be less: there are too many moves");
  }

  /// See `candidate_space`. O(points) per candidate.
  /// @{
  [[nodiscard]] std::uint64_t size() const noexcept { return seen().size(); }
  [[nodiscard]] std::size_t points() const noexcept { return centre_.size(); }
  void decode(std::uint64_t index, candidate_room room) const noexcept { seen().decode(index, room); }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    return detail::neighbourhood_view{memory(view<const std::uint32_t>(centre_)), steps_, pairs_};
  }
  /// @}

 private:
  [[noreturn]] static void refuse(const char* what, std::size_t value, const char* requirement) {
    stagecut::detail::fail(argument_error("search::neighbourhood", what, std::to_string(value), requirement));
  }
  [[nodiscard]] detail::neighbourhood_view seen() const noexcept { return {centre_, steps_, pairs_}; }

  std::vector<std::uint32_t> centre_{};
  std::uint64_t steps_;
  bool pairs_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
