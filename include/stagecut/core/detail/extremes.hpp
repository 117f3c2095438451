// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The greater of two, the first if neither is; and the less. `<algorithm>` would be 9,000 lines more for every includer.
/// @{
template <class T>
[[nodiscard]] constexpr T greater_of(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
[[nodiscard]] constexpr T lesser_of(const T& a, const T& b) {
  return b < a ? b : a;
}
/// @}

}  // namespace stagecut::inline STAGECUT_ABI::detail
