// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The stages of every rank, ascending.
[[nodiscard]] STAGECUT_DECL std::vector<std::vector<std::size_t>> stages_of_ranks(const schedule& order);

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/stages_of_ranks.ipp>
#endif
