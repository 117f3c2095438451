// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The links of stages on consecutive devices: the link over which a stage receives, and the one over which it
/// exchanges gradients, by the position of its first device and its number of devices.
///
/// Positions count modulo `period()` where groups of devices are equal: all levels but the outermost one repeat.
class placed_links {
 public:
  /// The links of a machine.
  explicit placed_links(topology machine) : machine_(std::move(machine)) {}

  /// Number of devices.
  [[nodiscard]] std::size_t devices() const noexcept { return machine_.devices(); }

  /// The number of devices after which positions repeat; 1: all links are equal.
  [[nodiscard]] std::size_t period() const noexcept {
    return machine_.levels() < 2 ? 1 : machine_.span(machine_.levels() - 2);
  }

  /// The link between the device at a position and the one before it; before the first device of the machine, the link
  /// of the outermost level; with a single device none, so that messages take no time.
  [[nodiscard]] link_speed before(std::size_t position) const noexcept;

  /// The link of the slowest message between `count` devices from a position on: the link of the innermost group that
  /// holds all of them.
  /// @pre `count` is at least 2, and `count` devices follow
  [[nodiscard]] link_speed within(std::size_t position, std::size_t count) const noexcept {
    return machine_.link_of(level_of(position, count));
  }

  /// Whether `count` devices from a position on lie in one group of the innermost level with groups of at least that
  /// size.
  [[nodiscard]] bool is_close(std::size_t position, std::size_t count) const noexcept;

  /// The machine.
  [[nodiscard]] const topology& machine() const noexcept { return machine_; }

 private:
  /// The innermost level with a group that holds all of them; the outermost one holds all devices.
  [[nodiscard]] std::size_t level_of(std::size_t position, std::size_t count) const noexcept;

  topology machine_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/placed_links.ipp>
#endif
