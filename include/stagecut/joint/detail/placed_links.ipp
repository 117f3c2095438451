// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/placed_links.hpp>

#include <cstddef>

#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL link_speed placed_links::before(std::size_t position) const noexcept {
  if (machine_.levels() == 0) return {};
  for (std::size_t level = 0; level + 1 < machine_.levels(); ++level) {
    if (position % machine_.span(level) != 0) return machine_.link_of(level);
  }
  return machine_.link_of(machine_.levels() - 1);
}

STAGECUT_DECL bool placed_links::is_close(std::size_t position, std::size_t count) const noexcept {
  if (count < 2) return true;
  return level_of(position, count) == level_of(0, count);
}

STAGECUT_DECL std::size_t placed_links::level_of(std::size_t position, std::size_t count) const noexcept {
  std::size_t level = 0;
  while (level + 1 < machine_.levels() &&
         position / machine_.span(level) != (position + count - 1) / machine_.span(level)) {
    ++level;
  }
  return level;
}

}  // namespace stagecut::inline STAGECUT_ABI
