// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Seconds since an arbitrary moment, from a monotonic clock if the system has one.
[[nodiscard]] STAGECUT_DECL double seconds_now();

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/core/detail/seconds_now.ipp>
#endif
