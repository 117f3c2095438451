// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/sequence/detail/constrained_bottleneck.hpp>

#include <cstddef>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL stage_beginnings::stage_beginnings(std::size_t items, std::size_t stages)
    : highest(stages + 1), end(stages + 1), cut(stages + 1) {
  cut[stages] = highest[stages] = items;
  end[stages] = {items};  // after the last stage
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
