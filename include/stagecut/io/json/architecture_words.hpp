// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/words.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The words for placements of tied embeddings, in files and on the command line.
inline constexpr word<transformer::tying> tying_words[] = {{"none", transformer::tying::none},
                                                           {"replicate", transformer::tying::replicate},
                                                           {"colocate", transformer::tying::colocate}};
/// The words for normalizations.
inline constexpr word<transformer::normalization> norm_words[] = {{"layernorm", transformer::normalization::layernorm},
                                                                  {"rmsnorm", transformer::normalization::rmsnorm}};
/// The words for which queries and keys are normalized.
inline constexpr word<transformer::qk_norm> qk_norm_words[] = {
    {"none", transformer::qk_norm::none}, {"head", transformer::qk_norm::head}, {"token", transformer::qk_norm::token}};

}  // namespace stagecut::inline STAGECUT_ABI::io
