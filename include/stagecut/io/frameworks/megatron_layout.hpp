// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The cut that a pipeline layout of Megatron-LM says: `Et*2|(t*2|)*3,tL`. E is the embedding, t a decoder, m a guess of
/// further tokens, L the head; bars stand between stages, `*N` repeats a letter or what is in parentheses, commas say
/// nothing. What has no letter stands where Megatron-LM puts it: see `as_megatron`.
///
/// Of a hybrid model, which has layers of `pattern_kinds` in place of decoders, the cut that its pattern says: `M-M*|M-M-`, one
/// letter each, with the embedding on the first stage and the head on the last.
///
/// @param layout  the text
/// @param source  what errors call it
/// @param model   a chain
/// @return        stages of its layers, in the order of the layout: a rank has every p-th of them
/// @throws        invalid_input for what is no layout, for letters that are not those of the model, in its order, and for a
///                stage without layers; not_representable for a model that no layout says
///
/// Source: Megatron-LM, `megatron/core/transformer/pipeline_parallel_layer_layout.py`, 2025, and
/// `megatron/core/models/hybrid/hybrid_layer_allocation.py`, 2026.
[[nodiscard]] STAGECUT_DECL cuts read_megatron_layout(std::string_view layout, std::string_view source,
                                                      const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/megatron_layout.ipp>
#endif
