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
                                                             {"recurrence", transformer::mixing::recurrence},
                                                             {"none", transformer::mixing::none},
                                                             {"both", transformer::mixing::both},
                                                             {"mamba", transformer::mixing::recurrence}};  // former

/// The words for kinds of recurrent mixers.
inline constexpr named<transformer::recurrent_kind> recurrent_names[] = {
    {"mamba2", transformer::recurrent_kind::mamba2},
    {"mamba1", transformer::recurrent_kind::mamba1},
    {"gated_delta", transformer::recurrent_kind::gated_delta},
    {"kimi_delta", transformer::recurrent_kind::kimi_delta},
    {"lightning", transformer::recurrent_kind::lightning},
    {"short_convolution", transformer::recurrent_kind::short_convolution}};

/// The words for gates on the output of attention.
inline constexpr named<transformer::attention_gating> attention_gate_names[] = {
    {"none", transformer::attention_gating::none},
    {"head", transformer::attention_gating::head},
    {"element", transformer::attention_gating::element}};

}  // namespace stagecut::inline STAGECUT_ABI::io
