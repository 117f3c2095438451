// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Bytes that layers keep for their backward pass. transformer.hpp lists the sources.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// Bytes kept by a layer: with each part that modules of recomputation drop, what is dropped.
struct kept {
  double input = 0;        ///< its input; all that full recomputation keeps, 2sbh (Korthikanti, section 5)
  double core = 0;         ///< of the core of attention, which selective recomputation drops
  double layernorm = 0;    ///< outputs of norms
  double moe_act = 0;      ///< outputs of the activation function of experts
  double mla_up_proj = 0;  ///< heads from narrow vectors
  double mlp = 0;          ///< within a dense feed-forward part
  double moe = 0;          ///< within a feed-forward part of experts, without `moe_act`
  double rest = 0;         ///< everything else, including the input
  double workspace = 0;    ///< while it runs: buffers of messages of experts

  /// All of it.
  [[nodiscard]] double all() const { return core + layernorm + moe_act + mla_up_proj + mlp + moe + rest; }

  /// What recomputing these modules drops.
  [[nodiscard]] double dropped(const module_set& m) const {
    return (m.layernorm ? layernorm : 0) + (m.core_attn ? core : 0) + (m.mla_up_proj ? mla_up_proj : 0) +
           (m.mlp ? mlp : 0) + (m.moe ? moe : 0) + (m.moe || m.moe_act ? moe_act : 0);
  }
};

/// Adds the bytes kept by the feed-forward part: the output of each matrix into it and their product; with experts the
/// copies of tokens that they receive, and the router's scores.
inline void keep_feed_forward(kept& made, const block& b, const training& how, const microbatch& z);

/// Adds the bytes kept by attention.
inline void keep_attention(kept& made, const block& b, const training& how, const microbatch& z);

/// Sums over tensors: 34sbh + 5as^2b for GPT (Korthikanti, equations 1 to 4), with s tokens of b samples, a heads, width
/// h. As there, omits the two numbers that norms keep per token. Inputs of products are kept as converted, in 8 or 4
/// bits.
inline kept kept_by_block(const block& b, const training& how, const microbatch& z);

/// Bytes kept by a head: its input and the probabilities in fp32 (Korthikanti, section 4.3); for BERT also the inputs of
/// the activation function, of the norm and of the product, and the pooler's output. `times`: per predicted token.
inline double kept_by_head(const architecture& a, const microbatch& z, double words, double times);

inline void keep_feed_forward(kept& made, const block& b, const training& how, const microbatch& z) {
  const double n = z.bytes;
  const double narrow = z.rows * b.hidden;
  if (b.all_experts == 0) {
    made.layernorm +=
        (how.recompute_modules.mlp ? n : z.operand) * narrow;  // what is computed again is converted again
    made.mlp += z.tokens * b.ffn * (b.gates * n + z.operand);
    return;
  }
  const double copies = (how.expert_parallel > 1 ? z.tokens / z.tensor.members : z.tokens) * b.visits;
  made.layernorm += n * narrow;  // in 16 bits: the router reads it, too
  made.moe += 8 * z.rows * b.all_experts + z.operand * copies * b.expert_hidden + 8 * copies;
  made.moe += z.tokens * b.shared_ffn * (b.gates * n + z.operand) + b.gates * n * copies * b.ffn;
  made.moe_act += z.operand * copies * b.ffn;
  if (b.latent_experts) made.moe += (z.operand < n ? z.operand * narrow : 0) + n * z.rows * b.expert_hidden;
  made.workspace = 2 * n * copies * b.expert_hidden + n * copies * b.ffn;
  if (how.cuda_graphs == graphing::full) made.workspace *= 1.5;  // a graph owns its buffers
}

inline void keep_attention(kept& made, const block& b, const training& how, const microbatch& z) {
  const double n = z.bytes;
  const bool converted = z.operand < n;  // the output is also kept wide, for the core's gradient
  made.layernorm += z.operand * z.rows * b.hidden;
  const double heads = z.tokens * (b.query + b.key + b.value);
  const double norms = b.query_norm != qk_norm::none ? n * z.tokens * (b.query + b.key) : 0;
  if (b.latent != nullptr) {  // narrow vectors before and after their norms
    made.rest += (n + z.operand) * z.rows * static_cast<double>(b.latent->query_rank + b.latent->kv_rank);
    made.mla_up_proj += n * heads;
  } else {
    made.rest += n * heads + norms;
  }
  made.rest += z.operand * z.tokens * b.combined;  // input of the output matrix
  if (b.gate != 0) made.rest += n * z.tokens * (b.gate + b.combined);
  const double scores = b.heads * z.tokens * z.sequence;
  made.core = how.flash   ? 4 * b.heads * z.tokens + (converted ? n * z.tokens * b.combined : 0)  // Dao, 3.1.1
              : b.dropout ? (2 * n + 1) * scores  // softmax, mask, dropout
                          : n * scores;           // softmax
}

inline kept kept_by_block(const block& b, const training& how, const microbatch& z) {
  const double n = z.bytes;
  const double narrow = z.rows * b.hidden;  // split by sequence parallelism, and gathered again for the backward pass
  kept made;
  made.input = n * narrow * b.streams;
  // Inputs of norms, of parts that have none, and masks with a byte per element.
  made.rest = n * narrow * b.norms + (b.dropout ? b.parts() * narrow : 0);
  if (b.attends) keep_attention(made, b, how, z);
  if (b.recurrent != nullptr) {
    const recurrent_widths w = widths_of(b);
    made.layernorm += z.operand * narrow;
    made.rest += z.tokens * (n * w.vectors + n * w.convolved + (n + z.operand) * w.inner);
  }
  if (b.feeds) keep_feed_forward(made, b, how, z);
  // Parallel parts read the same norm; a router, and what is recomputed, also reads it in 16 bits.
  if (b.parallel && b.has_both()) {
    const bool wide = z.operand < n && (b.all_experts != 0 || how.recompute_modules.mlp);
    made.layernorm = (wide ? n + z.operand : z.operand) * narrow;
  }
  return made;
}

inline double kept_by_head(const architecture& a, const microbatch& z, double words, double times) {
  const auto h = static_cast<double>(a.hidden);
  const double narrow = z.bytes * z.rows * h;
  return (a.encoder ? 4 * narrow + z.bytes * z.samples * h : narrow) * times + 4 * z.tokens * words * times;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
