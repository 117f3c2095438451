// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/profile/architecture.hpp>

// A layer of a transformer as one device holds it, and what it counts. In doubles: products of counts overflow integers.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// Among how many devices the parts of a layer are divided.
struct ways {
  double tensor = 1;   ///< heads and inner widths (Shoeybi, section 3)
  double experts = 1;  ///< whole experts, which are not divided by `tensor` then; 1: their inner widths are
};

/// One layer, with the widths that one device has. What is not divided each device has whole.
struct block {
  double hidden = 0;                         ///< numbers of a token between layers
  double heads = 0;                          ///< of the queries, on one device
  double query_dim = 0;                      ///< numbers of a head that a query and a key have
  double value_dim = 0;                      ///< numbers of a head that a value has
  double query = 0;                          ///< width of the queries
  double key = 0;                            ///< width of the keys: at least a head, then several devices have the same
  double value = 0;                          ///< width of the values, likewise
  double combined = 0;                       ///< width of what the heads return
  const latent_attention* latent = nullptr;  ///< null: keys and values are made at once
  bool qkv_bias = false, output_bias = false, ffn_bias = false;  ///< whether there are biases
  qk_norm query_norm = qk_norm::none;                            ///< as in `architecture`
  bool sinks = false;                                            ///< likewise
  bool causal = true;                                            ///< whether a token sees none behind it
  bool rotary = true;                                            ///< whether queries and keys are turned
  bool dropout = false;                                          ///< behind scores and both parts
  bool parallel = false;                                         ///< both parts start from the same norm
  double window = 0;                                             ///< tokens that a query sees at most; 0: all
  double norms = 2;                                              ///< of the layer
  double norm_numbers = 0;                                       ///< parameters of one of them
  double gates = 1;                                              ///< matrices into the feed-forward part: 2 with a gate
  double ffn = 0;                                 ///< inner width of an expert, or of the one feed-forward part
  double experts = 1;                             ///< feed-forward parts on one device
  double all_experts = 0;                         ///< what the router chooses among; 0: no router
  double visits = 1;                              ///< experts that a token visits
  double shared_ffn = 0;                          ///< inner width of what every token visits beside them
  bool shared_gate = false, router_bias = false;  ///< as in `architecture`
};

/// Of a norm. Like all parameters that are not of matrices cut in pieces, each device has them whole.
inline double norm_parameters(normalization kind, double width) {
  return (kind == normalization::layernorm ? 2 : 1) * width;
}

inline void fill_heads(block& made, const architecture& a, double ways) {
  const auto all = static_cast<double>(a.heads);
  made.heads = all / ways;
  if (a.latent) {
    const latent_attention& l = *a.latent;
    made.latent = &l;
    made.query_dim = static_cast<double>(l.plain_dim + l.rotary_dim);
    made.value_dim = static_cast<double>(l.value_dim);
    made.query = made.key = made.heads * made.query_dim;
    made.value = made.heads * made.value_dim;
  } else {
    const auto kv_heads = static_cast<double>(a.kv_heads != 0 ? a.kv_heads : a.heads);
    made.query_dim = a.head_dim != 0 ? static_cast<double>(a.head_dim) : static_cast<double>(a.hidden) / all;
    made.value_dim = made.query_dim;
    made.query = made.heads * made.query_dim;
    made.key = made.value = (kv_heads > ways ? kv_heads / ways : 1.0) * made.query_dim;
  }
  made.combined = made.heads * made.value_dim;
}

/// A layer of the text's model.
inline block block_of(const architecture& a, std::size_t layer, const ways& split = {}) {
  const layer_form form = form_of(a, layer);
  block made;
  made.hidden = static_cast<double>(a.hidden);
  fill_heads(made, a, split.tensor);
  made.qkv_bias = a.qkv_bias.value_or(a.biases);
  made.output_bias = a.output_bias.value_or(a.biases);
  made.ffn_bias = a.ffn_bias.value_or(a.biases);
  made.query_norm = a.query_norm;
  made.sinks = a.sinks;
  made.causal = a.causal.value_or(!a.encoder);
  made.rotary = a.positions == 0;
  made.dropout = a.dropout;
  made.window = static_cast<double>(form.window);
  made.parallel = a.parallel;
  made.norms = static_cast<double>(a.norms);
  made.norm_numbers = norm_parameters(a.norm, made.hidden);
  made.gates = a.gated ? 2 : 1;
  const bool routed = a.experts != 0 && !form.dense;
  made.ffn = static_cast<double>(routed && a.expert_ffn != 0 ? a.expert_ffn : a.ffn);
  made.ffn /= routed && split.experts > 1 ? 1 : split.tensor;
  if (!routed) return made;
  made.all_experts = static_cast<double>(a.experts);
  made.experts = made.all_experts / split.experts;
  made.visits = static_cast<double>(a.top_k);
  made.shared_ffn = static_cast<double>(a.shared_ffn) / split.tensor;
  made.shared_gate = a.shared_gate;
  made.router_bias = a.router_bias;
  return made;
}

/// A layer of the tower in front.
inline block block_of(const vision_tower& v, std::size_t layer, double tensor = 1) {
  block made;
  made.hidden = static_cast<double>(v.hidden);
  made.heads = static_cast<double>(v.heads) / tensor;
  made.query_dim = made.value_dim = made.hidden / static_cast<double>(v.heads);
  made.query = made.key = made.value = made.combined = made.heads * made.query_dim;
  made.qkv_bias = made.output_bias = made.ffn_bias = v.biases;
  made.causal = false;
  made.rotary = v.positions == 0;
  made.window = static_cast<double>(sees_all(v, layer) ? 0 : v.window);
  made.norm_numbers = norm_parameters(v.norm, made.hidden);
  made.gates = v.gated ? 2 : 1;
  made.ffn = static_cast<double>(v.ffn) / tensor;
  return made;
}

/// Numbers that a token leaves behind for those that come later: its key and its value, or the narrow vector and the part
/// with position that stand for both.
inline double cached_numbers(const block& b) {
  return b.latent == nullptr ? b.key + b.value : static_cast<double>(b.latent->kv_rank + b.latent->rotary_dim);
}

/// Of the attention of a layer, without its norms. Matrices whose columns are cut have their biases cut, those whose rows
/// are, whole ones.
inline double attention_parameters(const block& b) {
  double made = b.combined * b.hidden + (b.output_bias ? b.hidden : 0);
  if (b.latent != nullptr) {  // DeepSeek-V2, section 2.1.2: narrow matrices and their norms are not cut
    const auto queries = static_cast<double>(b.latent->query_rank);
    const auto narrow = static_cast<double>(b.latent->kv_rank);
    const auto rotary = static_cast<double>(b.latent->rotary_dim);
    made += queries == 0 ? b.hidden * b.query : b.hidden * queries + queries + queries * b.query;
    made += b.hidden * (narrow + rotary) + narrow + narrow * (b.heads * (b.query_dim - rotary) + b.value);
    if (b.qkv_bias) made += (queries == 0 ? 0 : queries) + narrow + rotary;
  } else {
    const double qkv = b.query + b.key + b.value;
    made += b.hidden * qkv + (b.qkv_bias ? qkv : 0);
  }
  if (b.query_norm == qk_norm::head) made += 2 * b.query_dim;
  if (b.query_norm == qk_norm::token) made += b.query + b.key;
  return made + (b.sinks ? b.heads : 0);
}

/// Of one expert, or of the one feed-forward part.
inline double expert_parameters(const block& b, double ffn) {
  return (b.gates + 1) * b.hidden * ffn + (b.ffn_bias ? b.gates * ffn + b.hidden : 0);
}

/// Of the router and of what every token visits.
inline double shared_parameters(const block& b) {
  if (b.all_experts == 0) return 0;
  const double router = b.hidden * b.all_experts + (b.router_bias ? b.all_experts : 0);  // Shazeer, equation 4
  const double shared = b.shared_ffn == 0 ? 0 : expert_parameters(b, b.shared_ffn);
  return router + shared + (b.shared_gate ? b.hidden : 0);
}

/// Of all of a layer but its experts, or its one feed-forward part: what all replicas of the device have alike.
inline double common_parameters(const block& b) {
  return attention_parameters(b) + shared_parameters(b) + b.norms * b.norm_numbers;
}

/// Of its experts, or of its one feed-forward part.
inline double routed_parameters(const block& b) { return b.experts * expert_parameters(b, b.ffn); }

/// Of a layer, on one device.
inline double block_parameters(const block& b) { return common_parameters(b) + routed_parameters(b); }

/// Of what a layer that guesses further tokens has beside a layer as the last one: a matrix that joins the state with the
/// next token, and three norms (DeepSeek-V3, arXiv 2412.19437, section 2.2).
inline double joining_parameters(const architecture& a) {
  const auto h = static_cast<double>(a.hidden);
  return 2 * h * h + 3 * norm_parameters(a.norm, h);
}

/// Of the embedding but for its matrix: positions, token types, BERT's norm.
inline double table_parameters(const architecture& a) {
  const auto h = static_cast<double>(a.hidden);
  return static_cast<double>(a.positions + a.token_types) * h + (a.encoder ? norm_parameters(a.norm, h) : 0);
}

/// Of the head but for its matrix. BertForPreTraining has, all with biases: a dense layer, a norm and a bias for each
/// word to guess masked words; a dense layer (the pooler) and two outputs to guess whether sentences follow.
inline double head_parameters(const architecture& a, double words) {
  const auto h = static_cast<double>(a.hidden);
  if (!a.encoder) return a.head_bias ? words : 0;
  return 2 * (h * h + h) + norm_parameters(a.norm, h) + words + 2 * h + 2;
}

/// Of what comes before a tower's layers, and of its norms there and behind them.
inline double patch_parameters(const vision_tower& v) {
  const auto h = static_cast<double>(v.hidden);
  const auto tables = static_cast<double>(v.positions + v.extra_tokens);
  return static_cast<double>(v.inputs) * h + (v.input_bias ? h : 0) + tables * h +
         static_cast<double>(v.extra_norms) * norm_parameters(v.norm, h);
}

/// Calls `visit(INNER, OUTER)` for each matrix of a projector to tokens of so many numbers.
template <class Visit>
void each_projection(const vision_tower& v, double hidden, const Visit& visit) {
  double inner = static_cast<double>(v.hidden) * static_cast<double>(v.projector_merges ? v.merged : 1);
  for (const std::size_t width : v.projector) {
    visit(inner, static_cast<double>(width));
    inner = static_cast<double>(width);
  }
  visit(inner, hidden);
}

/// Of a projector.
inline double projector_parameters(const vision_tower& v, double hidden) {
  double made = norm_parameters(v.projector_norm_kind.value_or(v.norm), static_cast<double>(v.projector_norm));
  detail::each_projection(v, hidden,
                          [&](double inner, double outer) { made += inner * outer + (v.projector_bias ? outer : 0); });
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
