// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/detail/block.hpp>

#include <cstddef>

#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer::detail {

STAGECUT_DECL void fill_heads(block& made, const architecture& a, const layer_form& form, double ways) {
  const auto all = static_cast<double>(form.heads != 0 ? form.heads : a.heads);
  made.heads = all / ways;
  if (a.latent) {
    const latent_attention& l = *a.latent;
    made.latent = &l;
    made.query_dim = static_cast<double>(l.plain_dim + l.rotary_dim);
    made.value_dim = static_cast<double>(l.value_dim);
    made.query = made.key = made.heads * made.query_dim;
    made.value = made.heads * made.value_dim;
  } else {
    const std::size_t kv = form.kv_heads != 0 ? form.kv_heads : a.kv_heads;
    const std::size_t dim = form.head_dim != 0 ? form.head_dim : a.head_dim;
    const double kv_heads = kv != 0 ? static_cast<double>(kv) : all;
    const double kept = kv_heads > ways ? kv_heads / ways : 1.0;
    made.query_dim = dim != 0 ? static_cast<double>(dim) : static_cast<double>(a.hidden) / all;
    made.value_dim = a.value_dim != 0 ? static_cast<double>(a.value_dim) : made.query_dim;
    made.query = made.heads * made.query_dim;
    made.key = kept * made.query_dim;
    made.value = kept * made.value_dim;
  }
  made.keys_are_values = form.keys_are_values;
  made.combined = made.heads * made.value_dim;
  made.gate = a.attention_gate == attention_gating::none   ? 0
              : a.attention_gate == attention_gating::head ? made.heads
                                                           : made.combined;
  made.query_rank = static_cast<double>(a.query_rank);
  made.output_rank = static_cast<double>(a.output_rank);
  made.output_groups = static_cast<double>(a.output_groups) / ways;
  made.compression = static_cast<double>(form.compression);
  if (!a.indexer) return;
  // Compressed keys without an indexer are all seen.
  if (form.compression == 0 || !form.shares_indexer) made.chosen = static_cast<double>(a.indexer->top_k);
  if (!form.shares_indexer) made.indexer = &*a.indexer;
}

STAGECUT_DECL void fill_mixer(block& made, const architecture& a, const layer_form& form, double ways) {
  made.attends = form.mixer == mixing::attention || form.mixer == mixing::both;
  made.feeds = !form.mixer_only;
  if (form.mixer != mixing::recurrence && form.mixer != mixing::both) return;
  made.recurrent = &*a.recurrence;
  made.recurrent_heads = static_cast<double>(a.recurrence->heads) / ways;
  const double groups = static_cast<double>(a.recurrence->groups) / ways;
  made.recurrent_groups = groups < 1 ? 1 : groups;
}

STAGECUT_DECL block block_of(const architecture& a, std::size_t layer, const ways& split) {
  const layer_form form = form_of(a, layer);
  block made;
  made.hidden = static_cast<double>(a.hidden);
  fill_heads(made, a, form, split.tensor);
  made.qkv_bias = a.qkv_bias.value_or(a.biases);
  made.output_bias = a.output_bias.value_or(a.biases);
  made.ffn_bias = a.ffn_bias.value_or(a.biases);
  made.query_norm = a.query_norm;
  made.sinks = a.sinks;
  made.streams = static_cast<double>(a.streams);
  made.causal = a.causal.value_or(!a.encoder);
  made.rotary = a.positions == 0;
  made.dropout = a.dropout;
  made.window = static_cast<double>(form.window);
  made.parallel = a.parallel;
  made.squared_relu = a.squared_relu;
  fill_mixer(made, a, form, split.tensor);
  made.norms = static_cast<double>(a.norms);
  if (made.norms < made.parts()) made.norms = made.parts();  // models of one part a layer, and a layer with two
  made.norm_numbers = norm_parameters(a.norm, made.hidden);
  made.gates = a.gated ? 2 : 1;
  if (!made.feeds) return made;
  const bool routed = a.experts != 0 && !form.dense;
  made.ffn = static_cast<double>(routed && a.expert_ffn != 0 ? a.expert_ffn : form.ffn != 0 ? form.ffn : a.ffn);
  made.ffn /= routed && split.experts > 1 ? 1 : split.tensor;
  if (!routed) return made;
  made.all_experts = static_cast<double>(a.experts);
  made.experts = made.all_experts / split.experts;
  made.idle_experts = static_cast<double>(a.idle_experts);
  made.visits = static_cast<double>(a.top_k) * made.all_experts / (made.all_experts + made.idle_experts);
  made.shared_ffn = static_cast<double>(a.shared_ffn) / split.tensor;
  made.shared_gate = a.shared_gate;
  made.router_bias = a.router_bias;
  made.latent_experts = a.expert_hidden != 0;
  made.expert_hidden = static_cast<double>(a.expert_hidden != 0 ? a.expert_hidden : a.hidden);
  made.router_groups = static_cast<double>(a.router_groups);
  made.top_groups = static_cast<double>(a.top_groups);
  return made;
}

STAGECUT_DECL block block_of(const vision_tower& v, std::size_t layer, double tensor) {
  block made;
  made.hidden = static_cast<double>(v.hidden);
  made.heads = static_cast<double>(v.heads) / tensor;
  made.query_dim = made.value_dim = made.hidden / static_cast<double>(v.heads);
  made.query = made.key = made.value = made.combined = made.heads * made.query_dim;
  made.qkv_bias = made.output_bias = made.ffn_bias = v.biases;
  made.causal = false;
  made.rotary = v.positions == 0;
  made.window = static_cast<double>(sees_all(v, layer) ? 0 : v.window);
  made.norms = static_cast<double>(v.norms);
  made.query_norm = v.query_norm;
  made.norm_numbers = norm_parameters(v.norm, made.hidden);
  made.gates = v.gated ? 2 : 1;
  made.ffn = static_cast<double>(v.ffn) / tensor;
  return made;
}

STAGECUT_DECL double attention_parameters(const block& b) {
  double made = b.output_bias ? b.hidden : 0;
  made += b.output_rank == 0 ? b.combined * b.hidden : b.output_rank * (b.combined + b.output_groups * b.hidden);
  if (b.latent != nullptr) {  // DeepSeek-V2, section 2.1.2: narrow matrices and their norms are not split
    const auto queries = static_cast<double>(b.latent->query_rank);
    const auto narrow = static_cast<double>(b.latent->kv_rank);
    const auto rotary = static_cast<double>(b.latent->rotary_dim);
    made += queries == 0 ? b.hidden * b.query : b.hidden * queries + queries + queries * b.query;
    made += b.hidden * (narrow + rotary) + narrow + narrow * (b.heads * (b.query_dim - rotary) + b.value);
    if (b.qkv_bias) made += (queries == 0 ? 0 : queries) + narrow + rotary;
  } else {
    const double qkv = b.query + b.key + (b.keys_are_values ? 0 : b.value);
    made += b.hidden * qkv + (b.qkv_bias ? qkv : 0);
    // A narrow vector and its norm before the queries, and a norm of the keys.
    if (b.query_rank != 0) made += (b.query_rank - b.query) * b.hidden + b.query_rank * (b.query + 1) + b.query_dim;
  }
  if (b.compression != 0) made += compressor_parameters(b);
  made += b.hidden * b.gate + (b.qkv_bias ? b.gate : 0);
  if (b.indexer != nullptr) made += indexer_parameters(b);
  if (b.query_norm == qk_norm::head) made += 2 * b.query_dim;
  if (b.query_norm == qk_norm::token) made += b.query + b.key;
  return made + (b.sinks ? b.heads : 0);
}

STAGECUT_DECL double narrow_queries(const block& b) {
  const double rank = b.latent != nullptr ? static_cast<double>(b.latent->query_rank) : b.query_rank;
  return rank == 0 ? b.hidden : rank;
}

STAGECUT_DECL double compressor_parameters(const block& b) {
  const double overlap = b.indexer != nullptr ? 2 : 1;
  return overlap * b.key * (2 * b.hidden + b.compression) + b.key;
}

STAGECUT_DECL double indexer_parameters(const block& b) {
  const auto heads = static_cast<double>(b.indexer->heads);
  const auto dim = static_cast<double>(b.indexer->head_dim);
  const double keys = b.compression == 0 ? b.hidden * dim + 2 * dim : 2 * dim * (2 * b.hidden + b.compression) + dim;
  return narrow_queries(b) * heads * dim + keys + b.hidden * heads;
}

STAGECUT_DECL double stream_parameters(const block& b) {
  const double n = b.streams;
  return n == 1 ? 0 : b.parts() * ((2 + n) * n * (n * b.hidden + 1) + 3);
}

STAGECUT_DECL recurrent_widths widths_of(const block& b) {
  const recurrent_mixer& m = *b.recurrent;
  const double heads = b.recurrent_heads;
  const auto dim = static_cast<double>(m.head_dim);
  const auto state = static_cast<double>(m.state);
  const auto rank = static_cast<double>(m.rank);
  recurrent_widths made;
  made.inner = heads * dim;
  made.keys = 2 * b.recurrent_groups * state;
  made.vectors = 2 * made.inner + made.keys;
  made.convolved = made.inner + made.keys;
  made.state = made.inner * state;
  switch (m.kind) {
    case recurrent_kind::mamba2:
      made.in = made.vectors + heads;
      made.own = 3 * heads + (m.norm ? made.inner : 0);
      break;
    case recurrent_kind::mamba1:
      made.in = made.vectors = 2 * made.inner;
      made.convolved = made.inner;
      made.narrow = made.inner * (2 * rank + made.keys + 1);
      made.own = made.inner * (state + 1) + (m.norm ? rank + made.keys : 0);
      break;
    case recurrent_kind::gated_delta:
      made.in = made.vectors + 2 * heads;
      made.own = 2 * heads + (m.norm ? dim : 0);
      break;
    case recurrent_kind::kimi_delta:
      made.in = made.inner + made.keys + heads + 2 * rank;
      made.narrow = rank * (made.keys / 2 + made.inner);
      made.own = heads + made.keys / 2 + (m.norm ? dim : 0);
      break;
    case recurrent_kind::lightning:
      made.in = made.vectors;
      made.own = m.norm ? made.inner : 0;
      break;
    case recurrent_kind::short_convolution:
      made.keys = made.state = 0;
      made.in = made.vectors = 3 * made.inner;
      made.convolved = made.inner;
      break;
  }
  if (m.convolution == 0) made.convolved = 0;
  return made;
}

STAGECUT_DECL double scan_flops(const block& b, const recurrent_widths& w) {
  const auto state = static_cast<double>(b.recurrent->state);
  const double all_keys = b.recurrent_heads * state;  // each head has its own after groups are spread
  switch (b.recurrent->kind) {
    case recurrent_kind::mamba2: return 2 * 128 * w.keys / 2 + 2 * 128 * w.inner + 4 * w.state;
    case recurrent_kind::mamba1: return 90 * w.state;
    case recurrent_kind::gated_delta:
    case recurrent_kind::kimi_delta: return 2 * 64 * (3 * all_keys + 2 * w.inner) + 6 * w.state;
    case recurrent_kind::lightning: return 256 * (all_keys + w.inner) + 4 * w.state;
    case recurrent_kind::short_convolution: break;
  }
  return 0;
}

STAGECUT_DECL double recurrence_parameters(const block& b) {
  const recurrent_widths w = widths_of(b);
  const double taps = static_cast<double>(b.recurrent->convolution) + (b.recurrent->convolution_bias ? 1 : 0);
  const double biases = b.recurrent->bias ? w.in + b.hidden : 0;
  return b.hidden * w.in + w.narrow + w.convolved * taps + w.own + w.inner * b.hidden + biases;
}

STAGECUT_DECL double shared_parameters(const block& b) {
  if (b.all_experts == 0) return 0;
  const double choices = b.all_experts + b.idle_experts;
  const double router = b.hidden * choices + (b.router_bias ? choices : 0);  // Shazeer, equation 4
  const double shared = b.shared_ffn == 0 ? 0 : feed_forward_parameters(b, b.hidden, b.shared_ffn);
  const double latent = b.latent_experts ? 2 * b.hidden * b.expert_hidden : 0;
  return router + shared + latent + (b.shared_gate ? b.hidden : 0);
}

STAGECUT_DECL double joining_parameters(const architecture& a) {
  const auto h = static_cast<double>(a.hidden);
  return 2 * h * h + 3 * norm_parameters(a.norm, h);
}

STAGECUT_DECL double table_parameters(const architecture& a) {
  const auto h = static_cast<double>(a.hidden);
  return static_cast<double>(a.positions + a.token_types) * h +
         (a.encoder || a.embedding_norm ? norm_parameters(a.norm, h) : 0);
}

STAGECUT_DECL double head_parameters(const architecture& a, double words) {
  const auto h = static_cast<double>(a.hidden);
  const auto n = static_cast<double>(a.streams);
  double made = n == 1 ? 0 : n * n * h + n + 1;  // joins the streams
  if (a.encoder || a.head_bias) made += words;
  if (a.encoder || a.head_dense) made += h * h + (a.biases ? h : 0) + norm_parameters(a.norm, h);
  return made + (a.encoder && a.pooler ? h * h + h + 2 * h + 2 : 0);
}

STAGECUT_DECL double patch_parameters(const vision_tower& v) {
  const auto h = static_cast<double>(v.hidden);
  const auto tables = static_cast<double>(v.positions + v.extra_tokens);
  return static_cast<double>(v.inputs) * h + (v.input_bias ? h : 0) + tables * h +
         static_cast<double>(v.extra_norms) * norm_parameters(v.norm, h);
}

STAGECUT_DECL double projector_parameters(const vision_tower& v, double hidden) {
  const normalization kind = v.projector_norm_kind.value_or(v.norm);
  const auto projectors = static_cast<double>(1 + v.deepstack);
  double made = norm_parameters(kind, static_cast<double>(v.projector_norm)) +
                (projectors - 1) * norm_parameters(kind, static_cast<double>(v.hidden * v.merged));
  detail::each_projection(v, hidden, [&](double inner, double outer, bool /*joins*/) {
    made += projectors * (inner * outer + (v.projector_bias ? outer : 0));
  });
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
