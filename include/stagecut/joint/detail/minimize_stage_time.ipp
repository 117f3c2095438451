// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/minimize_stage_time.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL double minimize_stage_time_fn::between(double low, double high) noexcept {
  if (low > 0 && high / low < 4) {
    const double middle = low + (high - low) / 2;
    if (middle < high) return middle;
  }
  return __builtin_bit_cast(double, bits(low) + (bits(high) - bits(low)) / 2);
}

}  // namespace stagecut::inline STAGECUT_ABI
