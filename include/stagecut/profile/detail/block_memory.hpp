// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Bytes that layers keep for their backward pass. The sources are those that transformer.hpp lists.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// Of a layer.
struct kept {
  double input;  ///< what it was given; all that full recomputation keeps, 2sbh (Korthikanti, section 5)
  double core;   ///< the core of attention, which selective recomputation drops
  double rest;   ///< of everything else, the input among it
};

/// Of the feed-forward part: each matrix out of it, the product of both, and with experts the copies of tokens that they
/// get, what they return, to be weighed, and the router's probabilities in fp32.
STAGECUT_DECL double kept_by_feed_forward(const block& b, const training& how, const microbatch& z);

/// Tensor by tensor: 34sbh + 5as^2b for GPT (Korthikanti, equations 1 to 4), with s tokens of b samples, a heads, width
/// h. Left out as there: what norms keep of a token, two numbers.
STAGECUT_DECL kept kept_by_block(const block& b, const training& how, const microbatch& z);

/// Of a head: its input and the probabilities in fp32 (Korthikanti, section 4.3); of BERT also the inputs of the activation
/// function, of the norm and of the product, and the pooler's output. `times`: for each token that is guessed.
STAGECUT_DECL double kept_by_head(const architecture& a, const microbatch& z, double words, double times);

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/block_memory.ipp>
#endif
