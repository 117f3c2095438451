// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The microbatches that a stage holds at one moment.
struct held_microbatches {
  std::size_t in_flight = 0;   ///< from the start of F to the end of B or W
  std::size_t recomputed = 0;  ///< of these, those after the start of B or I
  std::size_t apart = 0;       ///< of these, those after the start of I

  friend bool operator==(const held_microbatches&, const held_microbatches&) = default;
};

/// What the stages of a rank hold at the relevant moments, each in the order of its stages.
using held_moments = std::vector<std::vector<held_microbatches>>;

/// What one stage holds at the relevant moments.
using stage_moments = std::vector<held_microbatches>;

/// For every stage, its one moment, with one microbatch in a whole backward pass.
[[nodiscard]] inline std::vector<stage_moments> moments_of(const std::vector<std::size_t>& in_flight) {
  std::vector<stage_moments> result;
  for (const std::size_t count : in_flight) result.push_back({{count, 1, 0}});
  return result;
}
[[nodiscard]] inline const std::vector<stage_moments>& moments_of(const std::vector<stage_moments>& held) {
  return held;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
