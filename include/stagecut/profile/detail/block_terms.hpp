// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

// The work of one device for a layer of a transformer, term by term: matrix products, the core of attention, memory-bound
// operations. transformer.hpp lists the sources; block_messages.hpp has the messages, served_terms.hpp inference.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// Adds the terms of a layer to its passes, in training.
class block_terms {
 public:
  static constexpr const char* core = "core of attention";  ///< recomputed by selective recomputation

  block_terms(const roofline& clock, const training& how, const microbatch& batch, pass_terms& into)
      : clock_(clock), how_(how), z_(batch), to_(into) {}

  /// Adds a layer without recomputation and messages.
  void add(const block& b);

  /// `count` products of rows x inner and inner x outer, and the same for either gradient (Narayanan, appendix), with
  /// the conversions of narrow operands: of the input forward, of the output's gradient backward.
  /// @param of_input  what the conversion of the input belongs to
  void product(const char* name, double rows, double inner, double outer, bool narrow = true,
               layer_module of_input = layer_module::other);

  /// An operation on `count` numbers that moves `forward` and `backward` bytes for each, in a kernel each.
  void moves(const char* name, double count, double forward, double backward, double kernels = 1);

 private:
  // Sets what the terms that follow belong to.
  void belong(layer_module part) { part_ = part; }

  void push(std::vector<term>& pass, term made) const {
    made.module = part_;
    pass.push_back(made);
  }

  void products(const char* name, double rows, double inner, double outer, double count, const product_kind& kind);

  void add_attention(const block& b);

  // DeepSeek-V2, section 2.1.2: projections to narrow vectors, a norm for each, and projections from them to heads.
  void add_narrow_products(const block& b);

  // Scores of queries with keys, and the weighted sum of values. Without scores in memory the backward pass recomputes
  // them: five products where the forward pass has two (Dao, section 4.1), and masked blocks are skipped. With scores in
  // memory all are computed; scaling, mask, softmax and dropout each move some bytes.
  void add_core(const block& b);

  // The number of keys that a token sees, averaged over the tokens of a sample.
  [[nodiscard]] double keys_seen(const block& b) const;

  // Within chunks of tokens as attention, between chunks through the state.
  void add_recurrence(const block& b);

  // Scores of an indexer, and the choice of tokens.
  void add_indexer(const block& b);

  void add_feed_forward(const block& b);

  // From x to y; or from x and its gate to y: the backward pass reads two or three and writes one or two. The square of a
  // ReLU runs as several kernels.
  void activation(const char* name, double count, const block& b, double stretch = 1);

  // The router, products to and from narrower vectors, the sorting of tokens, experts that every token visits.
  void add_experts(const block& b);

  // Products of several experts in one launch, each with its own tokens: the router's load is taken as balanced.
  void add_grouped(const block& b, double copies);

  const roofline& clock_;
  const training& how_;
  const microbatch& z_;
  pass_terms& to_;
  layer_module part_ = layer_module::other;
};

inline void block_terms::add(const block& b) {
  const double n = z_.bytes;
  const double narrow = z_.rows * b.hidden;
  if (b.attends) add_attention(b);
  if (b.recurrent != nullptr) add_recurrence(b);
  if (b.feeds && b.all_experts == 0) add_feed_forward(b);
  if (b.feeds && b.all_experts != 0) add_experts(b);
  belong(layer_module::layernorm);
  // Each reads x and writes y, and so for the gradient: the sum with the residual is in the same kernel.
  moves("norms", narrow * b.norms, 2 * n, 2 * n, b.norms);
  belong(layer_module::other);
  if (b.streams != 1) {
    const double mixed = (2 + b.streams) * b.streams;
    products("mixing of streams", z_.rows, b.streams * b.hidden, mixed, b.parts(), {.narrow = false});
    moves("streams", narrow * b.streams * b.parts(), 4 * n, 6 * n, b.parts());
  }
  // The sum of a part and its residual reads two, writes one; so does the sum of its gradients. Parallel parts have one
  // sum of three.
  const double sums = b.parallel && b.has_both() ? 4 : 3 * b.parts();
  moves("sums", narrow, sums * n, sums * n, 0);
  if (b.dropout) moves("dropout, in the sums", narrow * b.parts(), 1, 1, 0);  // a mask with a byte per element
}

inline void block_terms::products(const char* name, double rows, double inner, double outer, double count,
                                  const product_kind& kind) {
  product_kind gradient = kind;
  gradient.accumulates = true;
  const double gradient_bytes = how_.gradient_bytes.value_or(z_.bytes);
  push(to_.forward, clock_.product(name, rows, inner, outer, count, kind));
  push(to_.input, clock_.product(name, rows, outer, inner, count, kind));
  push(to_.weight, clock_.product(name, inner, rows, outer, count, gradient, gradient_bytes));
}

inline void block_terms::product(const char* name, double rows, double inner, double outer, bool narrow,
                                 layer_module of_input) {
  if (rows * inner * outer == 0) return;
  if (z_.serving) return to_.forward.push_back(clock_.served_product(name, rows, inner, outer, 1, narrow));
  products(name, rows, inner, outer, 1, {.narrow = narrow});
  if (!narrow || !clock_.is_narrow()) return;
  term converted = clock_.movement("conversion to narrow numbers", clock_.cast_bytes() * rows * inner);
  converted.module = of_input == layer_module::other ? part_ : of_input;
  to_.forward.push_back(converted);
  push(to_.input, clock_.movement("conversion to narrow numbers", clock_.cast_bytes() * rows * outer));
}

inline void block_terms::moves(const char* name, double count, double forward, double backward, double kernels) {
  if (count == 0) return;
  if (z_.serving) kernels = 0;
  push(to_.forward, clock_.movement(name, count * forward, kernels));
  push(to_.input, clock_.movement(name, count * backward, kernels));
}

inline void block_terms::add_attention(const block& b) {
  const double n = z_.bytes;
  const double wide = how_.attention_fp8 ? 2 : 1;  // and converted
  if (b.latent != nullptr) {
    add_narrow_products(b);
  } else {
    const double values = b.keys_are_values ? 0 : b.value;
    const double first = b.query_rank == 0 ? b.query : b.query_rank;
    product("queries, keys, values", z_.tokens, b.hidden, first + b.key + values, true, layer_module::layernorm);
    product("queries", z_.tokens, b.query_rank, b.query);
    if (b.compression != 0) {
      product("compressed keys", z_.tokens, b.hidden, (b.indexer != nullptr ? 4 : 2) * b.key);
    }
    const double turned = z_.tokens * (b.query + b.key + b.value);
    if (b.rotary) moves("rotation", turned, 2 * n * wide, 2 * n * wide);
    if (!b.rotary && how_.attention_fp8) moves("conversion of queries, keys, values", turned, 2 * n, 2 * n);
  }
  if (b.query_norm != qk_norm::none) moves("norms of q, k", z_.tokens * (b.query + b.key), 2 * n, 3 * n);
  if (b.indexer != nullptr) add_indexer(b);
  belong(layer_module::core_attn);
  add_core(b);
  belong(layer_module::other);
  product("gate of attention", z_.tokens, b.hidden, b.gate, true, layer_module::layernorm);
  if (b.gate != 0) moves("gated attention", z_.tokens * b.combined, 3 * n, 5 * n);
  if (b.output_rank == 0) return product("back from heads", z_.tokens, b.combined, b.hidden);
  product("back from groups of heads", z_.tokens, b.combined, b.output_rank);
  product("back from heads", z_.tokens, b.output_groups * b.output_rank, b.hidden);
}

inline void block_terms::add_narrow_products(const block& b) {
  const double n = z_.bytes;
  const auto queries = static_cast<double>(b.latent->query_rank);
  const auto narrow = static_cast<double>(b.latent->kv_rank);
  const auto rotary = static_cast<double>(b.latent->rotary_dim);
  const double plain = b.heads * (b.query_dim - rotary);
  product("to narrow vectors", z_.rows, b.hidden, queries + narrow + rotary, true, layer_module::layernorm);
  moves("norms of narrow vectors", z_.rows * (queries + narrow), 2 * n, 3 * n);
  belong(layer_module::mla_up_proj);
  product("queries", z_.tokens, queries == 0 ? b.hidden : queries, b.query);
  product("keys, values", z_.tokens, narrow, plain + b.value);
  // Queries and keys are rotated and put together with their plain part, values are copied.
  const double turned = z_.tokens * (2 * b.query + b.value);
  const double further = how_.attention_fp8 ? 2 * n : 0;
  moves("rotation, joined heads", turned, 2 * n + further, 3 * n + further);
  belong(layer_module::other);
}

inline void block_terms::add_core(const block& b) {
  const double seen = how_.flash ? keys_seen(b) : z_.sequence;
  const double each = z_.tokens * seen * b.heads;
  const double dims = b.query_dim + b.value_dim;
  if (how_.flash) {
    const double further = b.sinks ? clock_.on().sinks : 1;
    const double backward = 2 * each * (3 * b.query_dim + 2 * b.value_dim);
    for (const bool back : {false, true}) {
      term made = clock_.core(core, back ? backward : 2 * each * dims, each, back, how_.attention_fp8);
      made.alone = made.seconds = made.seconds * further;
      if (made.seconds > 0) made.rate = made.flops / made.seconds;
      push(back ? to_.input : to_.forward, made);
    }
    return;
  }
  const double flops = 2 * each * dims;
  const double scores = b.heads * z_.tokens * z_.sequence;
  const double masks = b.dropout ? 1 : 0;
  push(to_.forward, clock_.attention(core, flops, 1, scores * (5.5 * z_.bytes + masks)));
  push(to_.input, clock_.attention(core, 2 * flops, 1, scores * (8 * z_.bytes + masks)));
}

inline double block_terms::keys_seen(const block& b) const {
  const double window = keys_of(b, z_.sequence);
  // Blocks of keys are computed whole: with a window a block's edge is computed too.
  if (b.causal && window < z_.sequence) return window + 64 < z_.sequence / 2 ? window + 64 : z_.sequence / 2;
  return b.causal ? z_.sequence / 2 : window;
}

inline void block_terms::add_indexer(const block& b) {
  const auto heads = static_cast<double>(b.indexer->heads);
  const auto dim = static_cast<double>(b.indexer->head_dim);
  product("indexer: queries", z_.rows, narrow_queries(b), heads * dim);
  product("indexer: keys, weights", z_.rows, b.hidden, (b.compression == 0 ? 1 : 4) * dim + heads);
  const double scores = z_.tokens * z_.sequence / 2 / (b.compression == 0 ? 1 : b.compression);
  push(to_.forward, clock_.attention("indexer: scores", 2 * scores * heads * dim, 1, 8 * scores));
}

inline void block_terms::add_recurrence(const block& b) {
  const double n = z_.bytes;
  const recurrent_widths w = widths_of(b);
  product("into the state space", z_.tokens, b.hidden, w.in, true, layer_module::layernorm);
  if (w.narrow != 0) product("from narrow vectors", z_.tokens, w.narrow / w.inner, w.inner);
  const double flops = z_.tokens * scan_flops(b, w);
  if (flops != 0) {
    push(to_.forward, clock_.attention("scan", flops, 0.25, 0));
    push(to_.input, clock_.attention("scan", 2.5 * flops, 0.25, 0));
  }
  moves("convolution", z_.tokens * w.convolved, 2 * n, 4 * n);
  const bool scans = w.state != 0;
  moves(scans ? "scan's chunks, gate, norm" : "gates", z_.tokens * w.inner, scans ? 18 * n : 4 * n,
        scans ? 40 * n : 8 * n);
  product("back from the state space", z_.tokens, w.inner, b.hidden);
}

inline void block_terms::add_feed_forward(const block& b) {
  belong(layer_module::mlp);
  product(b.gates > 1 ? "gate, up" : "up", z_.tokens, b.hidden, b.gates * b.ffn, true,
          how_.recompute_modules.mlp ? layer_module::mlp : layer_module::layernorm);
  activation("activation", z_.tokens * b.ffn, b);
  product("down", z_.tokens, b.ffn, b.hidden);
  belong(layer_module::other);
}

inline void block_terms::activation(const char* name, double count, const block& b, double stretch) {
  const double n = z_.bytes;
  if (b.squared_relu && part_ == layer_module::moe_act) return moves(name, count, 6 * n * stretch, 10 * n * stretch);
  moves(name, count, (b.gates + 1) * n * stretch, (2 * b.gates + 1) * n * stretch);
}

inline void block_terms::add_experts(const block& b) {
  const double n = z_.bytes;
  const double stretch = clock_.reached().expert_bytes;
  const bool whole = how_.expert_parallel > 1;  // a device's tokens then visit whole experts; else all visit parts
  const double routed = whole ? z_.tokens / z_.tensor.members : z_.tokens;
  belong(layer_module::moe);
  product("router", z_.rows, b.hidden, b.all_experts, false);
  const double logits = z_.rows * b.all_experts * stretch;
  push(to_.forward, clock_.movement("scores, choice of experts", 24 * logits, 6));
  push(to_.input, clock_.movement("scores, choice of experts", 16 * logits, 4));
  if (b.latent_experts) {
    product("to the width of experts", z_.rows, b.hidden, b.expert_hidden);
    product("from the width of experts", z_.rows, b.expert_hidden, b.hidden);
  }
  const double copies = routed * b.visits;
  add_grouped(b, copies);
  if (how_.dispatcher == dispatching::alltoall || z_.experts.members == 1) {  // else the dispatcher sorts
    moves("sorted tokens", copies * b.expert_hidden, 8 * n * stretch, 8 * n * stretch, 6);
  }
  if (b.shared_ffn != 0) {
    product("shared expert: in", z_.tokens, b.hidden, b.gates * b.shared_ffn);
    activation("shared expert: activation", z_.tokens * b.shared_ffn, b);
    product("shared expert: down", z_.tokens, b.shared_ffn, b.hidden);
  }
  belong(layer_module::other);
}

inline void block_terms::add_grouped(const block& b, double copies) {
  const double n = z_.bytes;
  const double stretch = clock_.reached().expert_bytes;
  const double each = copies / b.experts;
  const double half = clock_.reached().expert_tokens * clock_.intensity();
  const product_kind grouped{.share = each / (each + half)};
  products(b.gates > 1 ? "experts: gate, up" : "experts: up", each, b.expert_hidden, b.gates * b.ffn, b.experts,
           grouped);
  products("experts: down", each, b.ffn, b.expert_hidden, b.experts, grouped);
  belong(layer_module::moe_act);
  if (how_.fused_experts) {  // in the products' kernel; its gradient writes what the gate multiplies
    push(to_.input, clock_.movement("experts: activation", copies * b.ffn * b.gates * n * stretch));
  } else {
    activation("experts: activation", copies * b.ffn, b, stretch);
  }
  belong(layer_module::moe);
  if (!clock_.is_narrow()) return;
  const double cast = clock_.cast_bytes() * stretch;
  push(to_.forward, clock_.movement("experts: conversion of tokens", cast * copies * b.expert_hidden));
  push(to_.input, clock_.movement("experts: conversion of tokens", cast * copies * b.expert_hidden));
  if (how_.fused_experts) return;
  push(to_.input, clock_.movement("experts: conversion of activations", cast * b.gates * copies * b.ffn));
  belong(layer_module::moe_act);
  push(to_.forward, clock_.movement("experts: conversion of activations", cast * copies * b.ffn));
  belong(layer_module::moe);
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
