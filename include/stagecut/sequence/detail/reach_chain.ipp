// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/sequence/detail/reach_chain.hpp>

#include <cstddef>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL reach_sets::reach_sets(std::size_t items, std::size_t stages)
    : lowest(stages + 1), highest(stages + 1), begins(stages + 1), cut(stages + 1) {
  for (std::size_t s = 1; s <= stages; ++s) {
    cut[s] = items / stages * s + (s < items % stages ? s : items % stages);
  }
  lowest[stages] = highest[stages] = items;
  begins[stages] = {1};  // after the last stage
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
