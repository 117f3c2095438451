// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/detail/check_links.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Devices in groups of groups — of a node, of a rack —, and how fast those of one group speak with each other: as fast
/// as the innermost group that holds both. Devices are counted group after group.
class topology {
 public:
  /// @param sizes   of the groups, innermost first: `{8, 4}` are 4 nodes of 8 devices; none: a single device
  /// @param levels  the link within a group, likewise
  /// @throws        argument_error for another number of levels than of sizes, a size of 0, a product that overflows,
  ///                and a latency or bandwidth that is negative or not finite
  topology(const std::vector<std::size_t>& sizes, std::vector<link_speed> levels) : levels_(std::move(levels)) {
    if (levels_.size() != sizes.size()) {
      detail::fail(argument_error("topology", "levels.size()", std::to_string(levels_.size()),
                                  detail::joined({"must be the number of sizes, ", sizes.size()})));
    }
    for (std::size_t level = 0; level < sizes.size(); ++level) {
      const std::size_t size = sizes[level];
      if (size == 0 || devices() > std::numeric_limits<std::size_t>::max() / size) {
        detail::fail(
            argument_error("topology", place("sizes", level), std::to_string(size),
                           size == 0 ? "must be at least 1" : "must leave the number of devices representable"));
      }
      spans_.push_back(devices() * size);
    }
    detail::check_links("topology", "levels", levels_);
  }

  /// Number of devices: the product of the sizes.
  [[nodiscard]] std::size_t devices() const noexcept { return spans_.empty() ? 1 : spans_.back(); }

  /// The link between two devices; one device sends itself what it wants in no time. O(levels).
  /// @throws argument_error for a device that is none of the topology
  [[nodiscard]] link_speed link(std::size_t a, std::size_t b) const {
    check("topology::link", "a", a);
    check("topology::link", "b", b);
    return between(a, b);
  }

  /// Number of levels: 0 of a single device.
  [[nodiscard]] std::size_t levels() const noexcept { return spans_.size(); }
  /// How many devices a group of a level holds, 0 the innermost.
  /// @pre `level < levels()`
  [[nodiscard]] std::size_t span(std::size_t level) const noexcept { return spans_[level]; }
  /// The link within a group of a level.
  /// @pre `level < levels()`
  [[nodiscard]] link_speed link_of(std::size_t level) const noexcept { return levels_[level]; }

  /// The links of the boundaries between k neighbouring stages, of length k - 1.
  ///
  /// @param device_of_stage  of every stage, of length k
  /// @throws                 argument_error for a device that is none of the topology
  [[nodiscard]] std::vector<link_speed> links(view<const std::size_t> device_of_stage) const {
    std::vector<link_speed> result;
    for (std::size_t s = 0; s < device_of_stage.size(); ++s) {
      check("topology::links", place("device_of_stage", s), device_of_stage[s]);
      if (s != 0) result.push_back(between(device_of_stage[s - 1], device_of_stage[s]));
    }
    return result;
  }
  /// The same of a list.
  [[nodiscard]] std::vector<link_speed> links(std::initializer_list<std::size_t> device_of_stage) const {
    return links(view(device_of_stage));
  }

 private:
  static std::string place(std::string_view name, std::size_t index) { return detail::joined({name, "[", index, "]"}); }

  void check(std::string_view function, std::string_view argument, std::size_t device) const {
    if (device < devices()) return;
    detail::fail(argument_error(function, argument, std::to_string(device),
                                detail::joined({"must be below the number of devices, ", devices()})));
  }

  [[nodiscard]] link_speed between(std::size_t a, std::size_t b) const {
    if (a == b) return {};
    std::size_t level = 0;
    while (a / spans_[level] != b / spans_[level]) ++level;  // ends at the outermost, which holds all devices
    return levels_[level];
  }

  std::vector<link_speed> levels_;
  std::vector<std::size_t> spans_;  ///< how many devices a group of each level holds
};

}  // namespace stagecut::inline STAGECUT_ABI
