// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/ideals.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The devices of stages.
struct stage_counts {
  std::size_t devices = 1;  ///< accelerators
  std::size_t cpus = 0;     ///< the most CPUs
  bool at_most = false;     ///< whether fewer accelerators are allowed
  std::size_t stages = 0;   ///< on both together; 0: any number
  std::size_t before = 0;   ///< stages before them
  std::size_t behind = 0;   ///< stages after them
};

/// Stages of elements: the stage of each element, the device kind of each stage, and the greatest value.
template <class Value>
struct element_stages {
  std::vector<std::uint32_t> stage_of{};
  std::vector<std::uint8_t> kinds{};
  Value value = std::numeric_limits<Value>::max();
};

/// Writes the stage of a set's elements outside another set, along a path between them, searched backwards over
/// numbers.
STAGECUT_DECL void fill_stage(const engine::ideal_family& family, std::size_t from, std::size_t to, std::size_t stage,
                              std::vector<std::uint32_t>& stage_of);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/element_stages.ipp>
#endif
