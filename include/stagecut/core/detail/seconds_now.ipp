// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/detail/seconds_now.hpp>

#include <ctime>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL double seconds_now() {
  std::timespec now{};
#ifdef CLOCK_MONOTONIC
  ::clock_gettime(CLOCK_MONOTONIC, &now);
#else
  std::timespec_get(&now, TIME_UTC);
#endif
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
