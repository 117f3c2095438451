// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The words for placements of tied embeddings, in files and on the command line.
inline constexpr named<transformer::tying> tying_names[] = {{"none", transformer::tying::none},
                                                            {"replicate", transformer::tying::replicate},
                                                            {"colocate", transformer::tying::colocate}};
/// The words for normalizations.
inline constexpr named<transformer::normalization> norm_names[] = {{"layernorm", transformer::normalization::layernorm},
                                                                   {"rmsnorm", transformer::normalization::rmsnorm}};
/// The words for which queries and keys are normalized.
inline constexpr named<transformer::qk_norm> qk_norm_names[] = {
    {"none", transformer::qk_norm::none}, {"head", transformer::qk_norm::head}, {"token", transformer::qk_norm::token}};

/// The words for what mixes the tokens of a layer.
inline constexpr named<transformer::mixing> mixer_names[] = {{"attention", transformer::mixing::attention},
                                                             {"mamba", transformer::mixing::mamba},
                                                             {"none", transformer::mixing::none}};

}  // namespace stagecut::inline STAGECUT_ABI::io
