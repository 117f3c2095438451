// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The cuts of a pipeline layout of Megatron-LM: `Et*2|(t*2|)*3,tL`. E is the embedding, t a decoder, m a layer that
/// predicts further tokens, L the head; bars separate stages, `*N` repeats a letter or a group in parentheses, commas are
/// ignored. Layers without a letter are where Megatron-LM puts them: see `as_megatron`.
///
/// For a hybrid model, with layers of `pattern_kinds` instead of decoders, the cuts of its pattern: `M-M*|M-M-`, one
/// letter each, with the embedding on the first stage and the head on the last.
///
/// @param layout  the text
/// @param source  its name in errors
/// @param model   a chain
/// @return        stages of its layers, in the order of the layout: each rank has every p-th of them
/// @throws        invalid_input for an invalid layout, for letters that do not match the model's layers in order, and for
///                a stage without layers; not_representable for a model that no layout can express
///
/// Source: Megatron-LM, `megatron/core/transformer/pipeline_parallel_layer_layout.py`, 2025, and
/// `megatron/core/models/hybrid/hybrid_layer_allocation.py`, 2026.
[[nodiscard]] STAGECUT_DECL cuts read_megatron_layout(std::string_view layout, std::string_view source,
                                                      const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/megatron_layout.ipp>
#endif
