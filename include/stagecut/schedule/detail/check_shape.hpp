// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

#include <cstddef>
#include <string_view>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects an argument of a schedule, with the reason.
[[noreturn]] STAGECUT_DECL void refuse_shape(std::string_view function, std::string_view argument, std::size_t value,
                                             std::string_view requirement);

/// Rejects pipelines without a rank, a stage or a microbatch, and those with too many ops for memory.
STAGECUT_DECL void check_shape(std::string_view function, std::size_t ranks, std::size_t stages_per_rank,
                               std::size_t microbatches);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/check_shape.ipp>
#endif
