// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Seconds since some moment; they never go back where the system has such a clock.
[[nodiscard]] STAGECUT_DECL double seconds_now();

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/core/detail/seconds_now.ipp>
#endif
