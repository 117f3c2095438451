// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/stored_weights.hpp>

// A layer of a transformer on one device, and its parameter counts. In doubles: products of counts overflow integers.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// The numbers of devices that share the parts of a layer.
struct ways {
  double tensor = 1;   ///< heads and inner widths (Shoeybi, section 3)
  double experts = 1;  ///< whole experts, which `tensor` then does not divide; 1: it divides their inner widths
};

/// One layer, with the widths on one device. Undivided parts are whole on each device.
struct block {
  double hidden = 0;     ///< width of a token between layers
  double heads = 0;      ///< of the queries, on one device
  double query_dim = 0;  ///< numbers of a head's query and key
  double value_dim = 0;  ///< numbers of a head's value
  double query = 0;      ///< width of the queries
  double key = 0;        ///< width of the keys: at least one head, which several devices may duplicate
  double value = 0;      ///< width of the values: at least one head, which several devices may duplicate
  double combined = 0;   ///< width of the heads' combined output
  const latent_attention* latent = nullptr;                      ///< null: keys and values are projected directly
  bool qkv_bias = false, output_bias = false, ffn_bias = false;  ///< whether there are biases
  qk_norm query_norm = qk_norm::none;                            ///< as in `architecture`
  bool causal = true;                                            ///< whether a token sees no later one
  bool rotary = true;                                            ///< whether queries and keys have rotary positions
  bool dropout = false;                                          ///< after scores and both parts
  bool parallel = false;                                         ///< both parts share the same input norm
  double window = 0;                                             ///< most tokens that a query sees; 0: all
  double norms = 2;                                              ///< of the layer
  double norm_numbers = 0;                                       ///< parameters of one of them
  double gates = 1;                                              ///< matrices into the feed-forward part: 2 with a gate
  double ffn = 0;                                 ///< inner width of an expert, or of the one feed-forward part
  double experts = 1;                             ///< feed-forward parts on one device
  double all_experts = 0;                         ///< number that the router chooses from; 0: no router
  double visits = 1;                              ///< experts that a token visits
  double shared_ffn = 0;                          ///< inner width of the experts that every token visits
  bool shared_gate = false, router_bias = false, sinks = false, squared_relu = false;  ///< as in `architecture`
  const recurrent_mixer* recurrent = nullptr;     ///< a mixer in place of attention, or in parallel; null: none
  bool attends = true;                            ///< whether attention mixes the tokens
  bool feeds = true;                              ///< whether there is a feed-forward part
  double recurrent_heads = 0, recurrent_groups = 0;  ///< on one device
  double expert_hidden = 0;                       ///< width of a token within experts
  bool latent_experts = false;                    ///< whether it is projected to that width
  double gate = 0;                                ///< width of the gate on the heads' output
  bool keys_are_values = false;                   ///< one matrix makes both
  const sparse_indexer* indexer = nullptr;        ///< chooses the tokens that a query sees; null: none of its own
  double chosen = 0;                              ///< most tokens that an indexer lets a query see; 0: all
  double idle_experts = 0;                        ///< further choices of the router
  double router_groups = 0, top_groups = 0, query_rank = 0, output_rank = 0, streams = 1;  ///< as in `architecture`
  double output_groups = 1;                                                                ///< on one device
  double compression = 0;  ///< tokens that become one key; 0: none

  /// Whether it has a mixer and a feed-forward part.
  [[nodiscard]] bool has_both() const { return feeds && (attends || recurrent != nullptr); }
  /// Parts with a sum of their own: those that follow each other.
  [[nodiscard]] double parts() const { return parallel || !has_both() ? 1 : 2; }
};

/// Widths of a recurrent mixer on one device.
struct recurrent_widths {
  double inner = 0;      ///< of all values
  double keys = 0;       ///< of all keys and queries
  double in = 0;         ///< of the products with the input, together
  double vectors = 0;    ///< of those without the numbers that heads have one of
  double narrow = 0;     ///< parameters of matrices behind narrow vectors
  double convolved = 0;  ///< of what the convolution sees
  double own = 0;        ///< parameters outside of matrices and convolution
  double state = 0;      ///< numbers that a sample keeps besides the tokens of the convolution
};

STAGECUT_DECL recurrent_widths widths_of(const block& b);

/// FLOP of a token's scan in chunks. Mamba-2: chunks of 128 (Dao and Gu, section 6). The delta rule: chunks of 64, whose
/// keys meet each other, too, and a triangular system of theirs is solved (Yang et al., arXiv 2406.06484, section 3.2).
/// Lightning attention: chunks of 256, a token sees half of one. Mamba-1's scan has no products: each number of the state
/// takes nine operations, which run a tenth as fast as products.
STAGECUT_DECL double scan_flops(const block& b, const recurrent_widths& w);

/// Parameters of a norm. Like all parameters outside of split matrices, each device has them whole.
inline double norm_parameters(normalization kind, double width) {
  return (kind == normalization::layernorm ? 2 : 1) * width;
}

STAGECUT_DECL void fill_heads(block& made, const architecture& a, const layer_form& form, double ways);

STAGECUT_DECL void fill_mixer(block& made, const architecture& a, const layer_form& form, double ways);

/// A layer of the text model.
STAGECUT_DECL block block_of(const architecture& a, std::size_t layer, const ways& split = {});

/// A layer of the vision tower.
STAGECUT_DECL block block_of(const vision_tower& v, std::size_t layer, double tensor = 1);

/// Numbers of a token's key and value, or of the narrow vector and the part with position that replace both.
inline double cached_numbers(const block& b) {
  if (b.latent != nullptr) return static_cast<double>(b.latent->kv_rank + b.latent->rotary_dim);
  return b.key + (b.keys_are_values ? 0 : b.value);
}

/// Numbers that attention keeps of a sample of `tokens` tokens, for later ones: keys and values of those in the
/// window, compressed ones of all, the keys of an indexer.
inline double kept_of_sample(const block& b, double tokens) {
  const double window = b.window == 0 || b.window > tokens ? tokens : b.window;
  const double indexed = b.indexer == nullptr ? 0 : static_cast<double>(b.indexer->head_dim);
  const double keys = b.compression == 0 ? tokens : tokens / b.compression;
  return (window + (b.compression == 0 ? 0 : keys)) * cached_numbers(b) + keys * indexed;
}

/// Numbers of the states of a recurrent mixer, and of the tokens that its convolution sees again.
/// @{
inline double kept_states(const block& b) { return b.recurrent == nullptr ? 0 : widths_of(b).state; }
inline double kept_inputs(const block& b) {
  const bool sees = b.recurrent != nullptr && b.recurrent->convolution > 1;
  return sees ? static_cast<double>(b.recurrent->convolution - 1) * widths_of(b).convolved : 0;
}
/// @}

/// Keys that a query sees of `tokens` tokens: those in its window, or those that an indexer chose, or compressed ones beyond
/// the window.
inline double keys_of(const block& b, double tokens) {
  const double window = b.window == 0 || b.window > tokens ? tokens : b.window;
  const double others = b.compression == 0 ? window : tokens / b.compression;
  const double chosen = b.chosen != 0 && b.chosen < others ? b.chosen : others;
  return b.compression == 0 ? chosen : window + chosen;
}

/// Parameters of a layer's attention, without its norms. Biases of matrices split by columns are split; biases of
/// matrices split by rows are whole.
STAGECUT_DECL double attention_parameters(const block& b);

/// Width of what queries are made of: a narrow vector, or the token's.
STAGECUT_DECL double narrow_queries(const block& b);

/// Parameters of what makes one key of several tokens: keys and their weights, learned offsets, a norm. Blocks that an
/// indexer chooses from overlap, with a second set (DeepSeek-V4, section 2.3).
STAGECUT_DECL double compressor_parameters(const block& b);

/// Parameters of an indexer: its queries from the narrow vector, its key and the norm of that, the weights of its heads.
STAGECUT_DECL double indexer_parameters(const block& b);

/// Parameters that mix the streams of a token before and behind each part.
STAGECUT_DECL double stream_parameters(const block& b);

/// Parameters of a recurrent mixer without the norm before it: projections in and out, the convolution, numbers of each
/// head, the scales of the norm behind. Sources: `recurrent_kind`.
STAGECUT_DECL double recurrence_parameters(const block& b);

/// Parameters of a feed-forward part of that inner width, for tokens of that width.
inline double feed_forward_parameters(const block& b, double width, double ffn) {
  return (b.gates + 1) * width * ffn + (b.ffn_bias ? b.gates * ffn + width : 0);
}

/// Parameters of one expert, or of the only feed-forward part.
inline double expert_parameters(const block& b, double ffn) {
  return b.feeds ? feed_forward_parameters(b, b.all_experts == 0 ? b.hidden : b.expert_hidden, ffn) : 0;
}

/// Parameters of the router and of the experts that every token visits.
STAGECUT_DECL double shared_parameters(const block& b);

/// Parameters of a layer except its experts, or its only feed-forward part: identical on all replicas of the device.
inline double common_parameters(const block& b) {
  return (b.attends ? attention_parameters(b) : 0) + (b.recurrent != nullptr ? recurrence_parameters(b) : 0) +
         shared_parameters(b) + b.norms * b.norm_numbers + stream_parameters(b);
}

/// Parameters of its experts, or of its only feed-forward part.
inline double routed_parameters(const block& b) { return b.experts * expert_parameters(b, b.ffn); }

/// Parameters of the matrices that are stored otherwise in inference.
inline double stored_numbers(const block& b, const stored_weights& w) {
  const double mixers =
      (b.attends ? attention_parameters(b) : 0) + (b.recurrent != nullptr ? recurrence_parameters(b) : 0);
  const double shared = b.shared_ffn == 0 ? 0 : feed_forward_parameters(b, b.hidden, b.shared_ffn);
  const double experts = b.all_experts == 0 ? 0 : routed_parameters(b);
  const double dense = b.all_experts == 0 ? routed_parameters(b) : shared;
  return (w.attention ? mixers : 0) + (w.feed_forward ? dense : 0) + (w.experts ? experts : 0);
}

/// Parameters of a layer on one device.
inline double block_parameters(const block& b) { return common_parameters(b) + routed_parameters(b); }

/// Additional parameters of a layer that predicts further tokens: a matrix that joins the state with the next token, and
/// three norms (DeepSeek-V3, arXiv 2412.19437, section 2.2).
STAGECUT_DECL double joining_parameters(const architecture& a);

/// Parameters of the embedding except its matrix: positions, token types, BERT's norm.
STAGECUT_DECL double table_parameters(const architecture& a);

/// Parameters of the head except its matrix. BertForPreTraining has, all with biases: a dense layer, a norm and a bias
/// for each word to predict masked words; a dense layer (the pooler) and two outputs to predict whether sentences follow.
STAGECUT_DECL double head_parameters(const architecture& a, double words);

/// Parameters before a tower's layers, and of its norms there and after them.
STAGECUT_DECL double patch_parameters(const vision_tower& v);

/// Calls `visit(INNER, OUTER, JOINS)` for each matrix of a projector to tokens of width `hidden`; `JOINS`: its rows are
/// tokens of the text, not patches.
template <class Visit>
void each_projection(const vision_tower& v, double hidden, const Visit& visit) {
  const auto chain = [&](double inner, const std::vector<std::size_t>& widths, bool joins) {
    for (const std::size_t width : widths) {
      visit(inner, static_cast<double>(width), joins);
      inner = static_cast<double>(width);
    }
    visit(inner, hidden, joins);
  };
  const auto merged = static_cast<double>(v.merged);
  chain(static_cast<double>(v.hidden) * (v.projector_merges ? merged : 1), v.projector, v.joined.empty());
  if (!v.joined.empty()) chain(hidden * merged, v.joined, true);
}

/// Parameters of a projector.
STAGECUT_DECL double projector_parameters(const vision_tower& v, double hidden);

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/block.ipp>
#endif
