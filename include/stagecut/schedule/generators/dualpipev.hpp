// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The ops of rank r, phase by phase, as in the source.
[[nodiscard]] STAGECUT_DECL std::vector<op> dualpipev_order(std::size_t ranks, std::size_t r, std::size_t microbatches);

}  // namespace detail

/// DualPipeV: two stages per rank, down and back up, where the F of one overlaps with the B of the other.
///
/// @param ranks         p, at least 1; stages r and 2p - 1 - r on rank r
/// @param microbatches  m, at least 2p, the number of stages
/// @return              overlapping pairs are an F with `with_next` and the B after it; some backward passes before and
///                      after them are split into I and W
/// @throws              argument_error
///
/// Every rank keeps the activations of 2p + 1 microbatches, each of one stage.
///
/// Source: DeepSeek-AI, DualPipe, 2025; the order is PyTorch's DualPipeV.
[[nodiscard]] STAGECUT_DECL schedule dualpipev(std::size_t ranks, std::size_t microbatches);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/dualpipev.ipp>
#endif
