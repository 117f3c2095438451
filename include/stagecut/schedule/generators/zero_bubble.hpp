// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// ZB-H1 and ZB-H2: `ahead` microbatches per later rank are admitted first.
[[nodiscard]] STAGECUT_DECL schedule zero_bubble_by_hand(std::string_view function, const char* name, std::size_t ranks,
                                                         std::size_t microbatches, std::size_t ahead);

}  // namespace detail

/// ZB-H1: 1F1B with split backward passes, so that W fills part of its idle time.
///
/// @param ranks         p, at least 1; each has one stage
/// @param microbatches  m, at least 2p: the authors' condition. For fewer see interleaved_zero_bubble
/// @throws              argument_error
///
/// Every rank keeps the activations of p microbatches; on rank r up to r of them wait for W only. For W <= min(F, I)
/// equal stages take m(F + I + W) + (p - 1)(F + I - W + 4c) if a transfer's time c is at most W / 2.
///
/// Source: Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024.
[[nodiscard]] inline schedule zb_h1(std::size_t ranks, std::size_t microbatches) {
  return detail::zero_bubble_by_hand("zb_h1", "zb-h1", ranks, microbatches, 1);
}

/// ZB-H2: ZB-H1 with twice the microbatches admitted, so that a rank never waits between its first op and its last.
///
/// @param ranks         p, at least 1; each has one stage
/// @param microbatches  m, at least 2p: the authors' condition
/// @throws              argument_error
///
/// Every rank keeps the activations of 2p - 1 microbatches; on rank r up to 2r of them wait for W only. For W <= min(F,
/// I) a rank with equal stages takes m(F + I + W) + (p - 1)(F + I - 2W + 2c) from its first op to its last, if a
/// transfer's time c is at most F / 2 and W. An iteration takes that long only if ranks need not wait for each other at
/// its end.
///
/// Source: Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024.
[[nodiscard]] inline schedule zb_h2(std::size_t ranks, std::size_t microbatches) {
  return detail::zero_bubble_by_hand("zb_h2", "zb-h2", ranks, microbatches, 2);
}

/// Interleaved 1F1B with split backward passes; on each rank W lags I by as many turns as there are ranks before it.
///
/// @param ranks         p, at least 1
/// @param stages_per_rank v, stages per rank, at least 1; with 1 it is ZB-H1
/// @param microbatches  m, at least 1; a multiple of the number of rounds, max(1, m / p) rounded down
/// @throws              argument_error
///
/// Every rank keeps the activations of min((v - 1)g + p, vm) microbatches, each of one stage, where g is the number per
/// round. With g = p stages of F = I = W take 3vmF + (p - 1)F, F of a stage.
///
/// Source: PyTorch, torch.distributed.pipelining, InterleavedZeroBubble.
[[nodiscard]] STAGECUT_DECL schedule interleaved_zero_bubble(std::size_t ranks, std::size_t stages_per_rank,
                                                             std::size_t microbatches);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/zero_bubble.ipp>
#endif
