// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The links of stages whose devices are taken one after the other: over which a stage receives, and exchanges gradients,
/// by the position of its first device and by their number.
///
/// A position counts modulo `period()`, as far as groups of devices are alike: all levels but the outermost one repeat.
class placed_links {
 public:
  /// Those of a machine.
  explicit placed_links(topology machine) : machine_(std::move(machine)) {}

  /// Number of devices.
  [[nodiscard]] std::size_t devices() const noexcept { return machine_.devices(); }

  /// After how many devices positions repeat; 1: all links are alike.
  [[nodiscard]] std::size_t period() const noexcept {
    return machine_.levels() < 2 ? 1 : machine_.span(machine_.levels() - 2);
  }

  /// The link between the device at a position and the one before it, one of the device before the whole machine being that
  /// of the outermost level; of a single device none, so that messages take no time.
  [[nodiscard]] link_speed before(std::size_t position) const noexcept;

  /// The link over which the slowest message passes between `count` devices from a position on: that of the innermost group
  /// that holds all of them.
  /// @pre `count` is at least 2, and so many devices follow
  [[nodiscard]] link_speed within(std::size_t position, std::size_t count) const noexcept {
    return machine_.link_of(level_of(position, count));
  }

  /// Whether `count` devices from a position on lie in one group of the innermost level that has groups of so many.
  [[nodiscard]] bool is_close(std::size_t position, std::size_t count) const noexcept;

  /// The machine.
  [[nodiscard]] const topology& machine() const noexcept { return machine_; }

 private:
  /// The innermost level of which a group holds all of them; the outermost one holds all devices.
  [[nodiscard]] std::size_t level_of(std::size_t position, std::size_t count) const noexcept;

  topology machine_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/placed_links.ipp>
#endif
