// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// The operations of a model in training, of one token: what a model FLOPs utilisation (MFU; Chowdhery et al., PaLM, appendix B)
/// counts. Matrix products and the scores of attention that are not masked, forward once and backward twice; nothing that is
/// computed again, and of experts those alone that a token visits.
///
/// @param sequence  tokens of a sample; 0: the architecture's
/// @return          FLOPs, the mean over the tokens of a sample
/// @throws          stagecut::invalid_input as `check`
/// O(layers).
[[nodiscard]] STAGECUT_DECL double training_flops(const architecture& a, std::size_t sequence = 0);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/training_flops.ipp>
#endif
