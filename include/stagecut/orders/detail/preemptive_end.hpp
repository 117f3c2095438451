// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What one machine has to run: not before its head, and its tail passes behind its end.
struct job_with_tail {
  std::int64_t head, time, tail;
};

/// When all jobs are over, tails counted, on one machine where one may break off for another: the longest tail first.
[[nodiscard]] STAGECUT_DECL std::int64_t preemptive_end(std::vector<job_with_tail> jobs);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/preemptive_end.ipp>
#endif
