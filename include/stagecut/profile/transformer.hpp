// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/efficiencies.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Analytic profiles: from the published figures of an architecture to the time and memory of every layer.
//
// Sources, by their names in comments:
//   Dao           Dao, FlashAttention-2, arXiv 2307.08691
//   Ivanov        Ivanov et al., Data Movement Is All You Need, MLSys 2021
//   Korthikanti   Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, arXiv 2205.05198
//   Narayanan     Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, SC 2021
//   Rajbhandari   Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, SC 2020
//   Shazeer       Shazeer et al., Outrageously Large Neural Networks, ICLR 2017
//   Shoeybi       Shoeybi et al., Megatron-LM, arXiv 1909.08053
namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

/// The figures of a layer as a variant of another.
STAGECUT_DECL stagecut::layer_variant variant(const stagecut::layer& of, recomputing way);

/// Rejects what the functions below cannot compute.
STAGECUT_DECL void check_run(const architecture& a, const training& r, const device& on, const efficiencies& reached);

}  // namespace detail

/// The profile of a model on a device. Its layers: patch embedding, tower layers and projector of a vision model;
/// embedding, layers, norm, layers that predict further tokens, head. Norm and head form a group if adjacent; an encoder
/// has no final norm. Names are those of torchtitan's Llama.
///
/// @return  times of a microbatch, `update` at the end of an iteration, bytes on one of the devices that share a layer;
///          all finite and not negative. With sequence parallelism a device sends its part of the tokens. The head sends
///          nothing: the loss stays.
/// @throws  stagecut::invalid_input as `check`, and at a layer with a figure that overflows a double
///
/// Recomputation adds one forward pass of the core of attention or of the whole layer, with its messages, to `backward`
/// and `backward_input`. Without scores in memory `selective` saves almost nothing, and computes the core a third time.
/// `recomputed` has the recomputed bytes, `workspace` what ZeRO gathers, `resident` includes the optimizer state.
STAGECUT_DECL stagecut::profile profile(const architecture& a, const training& r = {}, const device& on = {},
                                        const efficiencies& reached = {});

/// The terms of the times in a profile, per layer in its order.
///
/// @throws  stagecut::invalid_input as `profile`
STAGECUT_DECL std::vector<pass_terms> explain(const architecture& a, const training& r = {}, const device& on = {},
                                              const efficiencies& reached = {});

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/transformer.ipp>
#endif
