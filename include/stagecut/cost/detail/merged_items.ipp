// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/merged_items.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL cuts expanded(std::string_view function, const cuts& blocks, const cuts& between_blocks) {
  if (between_blocks.items() != blocks.stages()) {
    fail(argument_error(function, "between_blocks.items()", std::to_string(between_blocks.items()),
                        joined({"must be the number of blocks, ", blocks.stages()})));
  }
  std::vector<std::size_t> points;
  points.reserve(between_blocks.points().size());
  for (const std::size_t block : between_blocks.points()) points.push_back(blocks[block]);
  return cuts(std::move(points), empty_stages::allowed);
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
