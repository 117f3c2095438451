// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
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

STAGECUT_DECL void fill_heads(block& made, const architecture& a, double ways);

/// A layer of the text's model.
STAGECUT_DECL block block_of(const architecture& a, std::size_t layer, const ways& split = {});

/// A layer of the tower in front.
STAGECUT_DECL block block_of(const vision_tower& v, std::size_t layer, double tensor = 1);

/// Numbers that a token leaves behind for those that come later: its key and its value, or the narrow vector and the part
/// with position that stand for both.
inline double cached_numbers(const block& b) {
  return b.latent == nullptr ? b.key + b.value : static_cast<double>(b.latent->kv_rank + b.latent->rotary_dim);
}

/// Of the attention of a layer, without its norms. Matrices whose columns are cut have their biases cut, those whose rows
/// are, whole ones.
STAGECUT_DECL double attention_parameters(const block& b);

/// Of one expert, or of the one feed-forward part.
inline double expert_parameters(const block& b, double ffn) {
  return (b.gates + 1) * b.hidden * ffn + (b.ffn_bias ? b.gates * ffn + b.hidden : 0);
}

/// Of the router and of what every token visits.
STAGECUT_DECL double shared_parameters(const block& b);

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
STAGECUT_DECL double joining_parameters(const architecture& a);

/// Of the embedding but for its matrix: positions, token types, BERT's norm.
STAGECUT_DECL double table_parameters(const architecture& a);

/// Of the head but for its matrix. BertForPreTraining has, all with biases: a dense layer, a norm and a bias for each
/// word to guess masked words; a dense layer (the pooler) and two outputs to guess whether sentences follow.
STAGECUT_DECL double head_parameters(const architecture& a, double words);

/// Of what comes before a tower's layers, and of its norms there and behind them.
STAGECUT_DECL double patch_parameters(const vision_tower& v);

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
STAGECUT_DECL double projector_parameters(const vision_tower& v, double hidden);

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/block.ipp>
#endif
