// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/topology.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/parts/check_links.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL topology::topology(const std::vector<std::size_t>& sizes, std::vector<link_speed> levels)
    : levels_(std::move(levels)) {
  if (levels_.size() != sizes.size()) {
    detail::fail(argument_error("topology", "levels.size()", std::to_string(levels_.size()),
                                detail::joined({"must be the number of sizes, ", sizes.size()})));
  }
  for (std::size_t level = 0; level < sizes.size(); ++level) {
    const std::size_t size = sizes[level];
    if (size == 0 || devices() > std::numeric_limits<std::size_t>::max() / size) {
      detail::fail(argument_error("topology", place("sizes", level), std::to_string(size),
                                  size == 0 ? "must be at least 1" : "must leave the number of devices representable"));
    }
    spans_.push_back(devices() * size);
  }
  detail::check_links("topology", "levels", levels_);
}

STAGECUT_DECL link_speed topology::link(std::size_t a, std::size_t b) const {
  check("topology::link", "a", a);
  check("topology::link", "b", b);
  return between(a, b);
}

STAGECUT_DECL std::vector<link_speed> topology::links(view<const std::size_t> device_of_stage) const {
  std::vector<link_speed> result;
  for (std::size_t s = 0; s < device_of_stage.size(); ++s) {
    check("topology::links", place("device_of_stage", s), device_of_stage[s]);
    if (s != 0) result.push_back(between(device_of_stage[s - 1], device_of_stage[s]));
  }
  return result;
}

STAGECUT_DECL std::string topology::place(std::string_view name, std::size_t index) {
  return detail::joined({name, "[", index, "]"});
}

STAGECUT_DECL void topology::check(std::string_view function, std::string_view argument, std::size_t device) const {
  if (device < devices()) return;
  detail::fail(argument_error(function, argument, std::to_string(device),
                              detail::joined({"must be below the number of devices, ", devices()})));
}

STAGECUT_DECL link_speed topology::between(std::size_t a, std::size_t b) const {
  if (a == b) return {};
  std::size_t level = 0;
  while (a / spans_[level] != b / spans_[level]) ++level;  // ends at the outermost group, which has all devices
  return levels_[level];
}

}  // namespace stagecut::inline STAGECUT_ABI
