// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Devices in nested groups (nodes, racks) and the links within them: two devices communicate over the link of the
/// innermost group that contains both. Devices are numbered group after group.
class topology {
 public:
  /// @param sizes   of the groups, innermost first: `{8, 4}` are 4 nodes of 8 devices; none: a single device
  /// @param levels  the link within a group, innermost first
  /// @throws        argument_error for another number of levels than of sizes, a size of 0, a product that overflows,
  ///                and a latency or bandwidth that is negative or not finite
  topology(const std::vector<std::size_t>& sizes, std::vector<link_speed> levels);

  /// Number of devices: the product of the sizes.
  [[nodiscard]] std::size_t devices() const noexcept { return spans_.empty() ? 1 : spans_.back(); }

  /// The link between two devices; a device sends to itself in no time. O(levels).
  /// @throws argument_error for a device outside the topology
  [[nodiscard]] link_speed link(std::size_t a, std::size_t b) const;

  /// Number of levels: 0 for a single device.
  [[nodiscard]] std::size_t levels() const noexcept { return spans_.size(); }
  /// Number of devices in a group of a level, 0 the innermost.
  /// @pre `level < levels()`
  [[nodiscard]] std::size_t span(std::size_t level) const noexcept { return spans_[level]; }
  /// The link within a group of a level.
  /// @pre `level < levels()`
  [[nodiscard]] link_speed link_of(std::size_t level) const noexcept { return levels_[level]; }

  /// The links of the boundaries between k neighbouring stages, of length k - 1.
  ///
  /// @param device_of_stage  of every stage, of length k
  /// @throws                 argument_error for a device outside the topology
  [[nodiscard]] std::vector<link_speed> links(view<const std::size_t> device_of_stage) const;
  /// As above, from a list.
  [[nodiscard]] std::vector<link_speed> links(std::initializer_list<std::size_t> device_of_stage) const {
    return links(view(device_of_stage));
  }

 private:
  static std::string place(std::string_view name, std::size_t index);

  void check(std::string_view function, std::string_view argument, std::size_t device) const;

  [[nodiscard]] link_speed between(std::size_t a, std::size_t b) const;

  std::vector<link_speed> levels_;
  std::vector<std::size_t> spans_;  ///< number of devices in a group of each level
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/topology.ipp>
#endif
