// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/detail/language.hpp>

namespace stagecut::inline v0::detail {

/// The whole ticks of a time in ticks, which is not negative and below 2^63.
[[nodiscard]] constexpr double whole_ticks(double ticks) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(ticks));
}

}  // namespace stagecut::inline v0::detail
