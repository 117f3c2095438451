// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <ctime>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Seconds since some moment; they never go back where the system has such a clock.
[[nodiscard]] inline double seconds_now() {
  std::timespec now{};
#ifdef CLOCK_MONOTONIC
  ::clock_gettime(CLOCK_MONOTONIC, &now);
#else
  std::timespec_get(&now, TIME_UTC);
#endif
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
