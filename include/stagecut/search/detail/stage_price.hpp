// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/host_device.hpp>

namespace stagecut::inline v0::search::detail {

/// The cost of the items `[first, last)` as that stage, whether stages differ or not, on a device, too.
STAGECUT_CALLS_ANY
template <class Cost>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr auto stage_price(const Cost& cost, std::size_t stage, std::size_t first,
                                                              std::size_t last) {
  if constexpr (requires { cost(first, last); }) {
    return cost(first, last);
  } else {
    return cost(stage, first, last);
  }
}

}  // namespace stagecut::inline v0::search::detail
