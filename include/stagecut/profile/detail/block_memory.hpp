// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Bytes that layers keep for their backward pass. transformer.hpp lists the sources.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// Bytes kept by a layer.
struct kept {
  double input;  ///< its input; all that full recomputation keeps, 2sbh (Korthikanti, section 5)
  double core;   ///< the core of attention, which selective recomputation drops
  double rest;   ///< everything else, including the input
};

/// Bytes kept by the feed-forward part: the output of each matrix into it, their product, and with experts the copies of
/// tokens that they receive, their output before weighting, and the router's probabilities in fp32.
inline double kept_by_feed_forward(const block& b, const training& how, const microbatch& z);

/// Sums over tensors: 34sbh + 5as^2b for GPT (Korthikanti, equations 1 to 4), with s tokens of b samples, a heads, width
/// h. As there, omits the two numbers that norms keep per token.
inline kept kept_by_block(const block& b, const training& how, const microbatch& z);

/// Bytes kept by a head: its input and the probabilities in fp32 (Korthikanti, section 4.3); for BERT also the inputs of
/// the activation function, of the norm and of the product, and the pooler's output. `times`: per predicted token.
inline double kept_by_head(const architecture& a, const microbatch& z, double words, double times);

inline double kept_by_feed_forward(const block& b, const training& how, const microbatch& z) {
  const double n = z.bytes;
  const double inner = (b.gates == 1 ? 2 : b.gates + 1) * n;
  if (b.all_experts == 0) return inner * z.tokens * b.ffn;
  const double visits = (how.expert_parallel > 1 ? z.tokens / z.tensor.members : z.tokens) * b.visits;
  return inner * (visits * b.ffn + z.tokens * b.shared_ffn) + 2 * n * visits * b.hidden + 4 * z.rows * b.all_experts;
}

inline kept kept_by_block(const block& b, const training& how, const microbatch& z) {
  const double n = z.bytes;
  const double narrow = z.rows * b.hidden;  // split by sequence parallelism, and gathered again for the backward pass
  // Inputs of the norms, of queries, keys and values, of the feed-forward part; masks with a byte per element.
  double whole = ((b.parallel ? 1 : 2) + b.norms) * n * narrow + (b.dropout ? 2 * narrow : 0);
  double split = z.tokens * (b.query + b.key + b.value + b.combined);  // last: input of the output matrix
  if (b.query_norm != qk_norm::none) split += z.tokens * (b.query + b.key);
  if (b.latent != nullptr) {  // narrow vectors before and after their norms
    whole += 2 * n * z.rows * static_cast<double>(b.latent->query_rank + b.latent->kv_rank);
  }
  const double scores = b.heads * z.tokens * z.sequence;
  const double core = how.flash   ? 4 * b.heads * z.tokens  // logarithms of the sums of exponentials (Dao, 3.1.1)
                      : b.dropout ? (2 * n + 1) * scores    // softmax, mask, dropout
                                  : n * scores;             // softmax
  return {n * narrow, core, whole + n * split + kept_by_feed_forward(b, how, z)};
}

inline double kept_by_head(const architecture& a, const microbatch& z, double words, double times) {
  const auto h = static_cast<double>(a.hidden);
  const double narrow = z.bytes * z.rows * h;
  return (a.encoder ? 4 * narrow + z.bytes * z.samples * h : narrow) * times + 4 * z.tokens * words * times;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
