// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What an iteration takes at least as microbatches hold memory of a rank: what, times how long, over what it has.
///
/// @param heads  of passes, letter * microbatches + microbatch; tails likewise
[[nodiscard]] STAGECUT_DECL std::int64_t held_for(const word_problem& of, std::size_t rank,
                                                  const std::vector<std::int64_t>& heads,
                                                  const std::vector<std::int64_t>& tails);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/held_for.ipp>
#endif
