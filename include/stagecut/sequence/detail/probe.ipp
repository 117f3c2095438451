// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/sequence/detail/probe.hpp>

#include <cstddef>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void separators::reset(std::size_t items, std::size_t stages) {
  lowest.resize(stages + 1);
  highest.resize(stages + 1);
  cut.resize(stages + 1);
  for (std::size_t s = 1; s < stages; ++s) {
    lowest[s] = s;
    highest[s] = items - (stages - s);
    cut[s] = items / stages * s;
  }
  lowest[0] = highest[0] = cut[0] = 0;
  lowest[stages] = highest[stages] = cut[stages] = items;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
