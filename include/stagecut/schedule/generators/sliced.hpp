// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// 1F1B over slices of the microbatches' sequences, forward from the first slice, backward from the last: causal
/// attention reads the previous slices.
///
/// @param ranks         p, at least 1; each has one stage
/// @param microbatches  m, at least 1
/// @param slices        S per sequence, at least 1; with 1 it is 1F1B
/// @throws              argument_error
///
/// Rank r keeps the activations of min(p - 1 - r + S, mS) slices. Equal slices and stages take
/// (mS + p - 1)(F + B), F and B of a slice, without transfers.
///
/// Source: Sun et al., Seq1F1B, NAACL 2025.
[[nodiscard]] STAGECUT_DECL schedule sliced_one_forward_one_backward(std::size_t ranks, std::size_t microbatches,
                                                                     std::size_t slices);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/sliced.ipp>
#endif
