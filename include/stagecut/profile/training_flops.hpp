// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// FLOPs of training per token, as counted for model FLOPs utilization (MFU; Chowdhery et al., PaLM, appendix B): matrix
/// products and unmasked attention scores, forward once and backward twice. Excludes recomputation; counts only the
/// experts that a token visits.
///
/// @param sequence  tokens of a sample; 0: the architecture's
/// @return          FLOPs, averaged over the tokens of a sample
/// @throws          stagecut::invalid_input as `check`
/// O(layers).
[[nodiscard]] STAGECUT_DECL double training_flops(const architecture& a, std::size_t sequence = 0);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/training_flops.ipp>
#endif
