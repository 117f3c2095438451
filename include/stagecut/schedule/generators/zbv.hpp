// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// ZB-V: two stages per rank, down and back up, so that the first rank has the loss; backward passes are split.
///
/// @param ranks         p, at least 1; stages r and 2p - 1 - r on rank r
/// @param microbatches  m, at least 1; below 2p - 1 it is the order for 2p - 1 without the excess microbatches
/// @throws              argument_error
///
/// Every rank keeps the activations of 2p microbatches, each of one stage; for m < 2p - 1 at most that. Otherwise, if F
/// = I = W and transfers take no time, no rank waits between its first op and its last, 6mF apart; the makespan is (p -
/// 1)F more.
///
/// Source: Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024; the order is PyTorch's ZBVZeroBubble.
[[nodiscard]] STAGECUT_DECL schedule zbv(std::size_t ranks, std::size_t microbatches);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/zbv.ipp>
#endif
