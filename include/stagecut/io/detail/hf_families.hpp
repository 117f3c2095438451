// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/io/detail/hf_figures.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/profile/architecture.hpp>

// Families of text models as named by the library transformers (Hugging Face): its classes `XConfig` define the names of
// figures and their defaults, its classes `XForCausalLM` the matrices, biases and norms. Tests compare the counts of
// parameters with published checkpoints.
namespace stagecut::inline STAGECUT_ABI::io::detail {

// Differences from Llama without biases, for families with one feed-forward part per layer.

/// Biases of all four attention matrices, if `attention_bias` is set.
inline void attention_bias(const hf_figures& at, transformer::architecture& a, bool otherwise = false) {
  a.qkv_bias = a.output_bias = at.flag("attention_bias", otherwise);
}

inline void llama_rules(hf_figures& at, transformer::architecture& a) {
  attention_bias(at, a);
  a.ffn_bias = at.flag("mlp_bias", false);
}

inline void all_windows(const hf_figures& at, transformer::architecture& a, std::size_t otherwise) {
  const std::size_t window = at.count_or_null("sliding_window", otherwise);
  if (!set_listed_windows(at, a, window, "sliding_window")) set_windows(a, window, 0);
}

inline void mistral_rules(hf_figures& at, transformer::architecture& a) { all_windows(at, a, 4096); }

/// The first `max_window_layers` layers see all tokens, later ones the window, if it is used at all.
inline void qwen_windows(const hf_figures& at, transformer::architecture& a, std::size_t full) {
  const bool used = at.flag("use_sliding_window", false);
  const std::size_t window = used ? at.count_or_null("sliding_window", 4096) : 0;
  if (set_listed_windows(at, a, window, "sliding_window") || window == 0) return;
  const std::size_t first = at.count({"max_window_layers"}, full);
  a.forms.resize(a.layers);
  for (std::size_t i = first; i < a.layers; ++i) a.forms[i].window = window;
}

inline void qwen2_rules(hf_figures& at, transformer::architecture& a) {
  a.qkv_bias = true;
  qwen_windows(at, a, 28);
}

inline void qwen2_vl_rules(hf_figures& at, transformer::architecture& a) {
  a.qkv_bias = true;
  qwen_windows(at, a, 80);
}

inline void qwen3_rules(hf_figures& at, transformer::architecture& a) {
  attention_bias(at, a);
  a.query_norm = transformer::qk_norm::head;
  qwen_windows(at, a, 28);
}

inline void gemma_rules(hf_figures& at, transformer::architecture& a) { attention_bias(at, a); }

/// The first of two layers has a window, or the first five of six.
inline void gemma_windows(const hf_figures& at, transformer::architecture& a, std::size_t period) {
  const std::size_t window = at.count_or_null("sliding_window", 4096);
  if (!set_listed_windows(at, a, window, "sliding_window")) set_windows(a, window, period);
}

inline void gemma2_rules(hf_figures& at, transformer::architecture& a) {
  attention_bias(at, a);
  a.norms = 4;
  gemma_windows(at, a, 2);
}

inline void gemma3_rules(hf_figures& at, transformer::architecture& a) {
  attention_bias(at, a);
  a.norms = 4;
  a.query_norm = transformer::qk_norm::head;
  gemma_windows(at, a, at.count({"sliding_window_pattern", "_sliding_window_pattern"}, 6, 1));
}

inline void gpt2_rules(hf_figures& at, transformer::architecture& a) {
  a.gated = false;
  a.biases = true;
  a.norm = transformer::normalization::layernorm;
  a.positions = at.count({"n_positions", "max_position_embeddings", "n_ctx"}, 1024, 1);
}

/// Phi-1 to phi-2: attention and feed-forward part share one input norm; the head has a bias.
inline void phi_rules(hf_figures& at, transformer::architecture& a) {
  a.gated = false;
  a.biases = true;
  a.norm = transformer::normalization::layernorm;
  a.norms = 1;
  a.parallel = true;
  a.head_bias = true;
  if (at.flag("qk_layernorm", false)) at.object().fail_at("/qk_layernorm", "such models are not known here");
}

inline void phi3_rules(hf_figures& at, transformer::architecture& a) { all_windows(at, a, 0); }

/// Norms have a scale and no shift. Those of queries and keys have separate scales for each head.
inline void cohere_rules(hf_figures& at, transformer::architecture& a) {
  attention_bias(at, a);
  a.norms = 1;
  a.parallel = true;
  a.head_dim = 0;
  if (at.flag("use_qk_norm", false)) a.query_norm = transformer::qk_norm::token;
}

inline void cohere2_rules(hf_figures& at, transformer::architecture& a) {
  cohere_rules(at, a);
  a.query_norm = transformer::qk_norm::none;
  gemma_windows(at, a, at.count({"sliding_window_pattern", "_sliding_window_pattern"}, 4, 1));
}

/// BERT with the heads of BertForPreTraining.
inline void bert_rules(hf_figures& at, transformer::architecture& a) {
  gpt2_rules(at, a);
  a.encoder = true;
  a.positions = at.count({"max_position_embeddings"}, 512, 1);
  a.token_types = at.count({"type_vocab_size"}, 2);
}

// Differences from Llama without biases, for families with experts.

/// Experts: their number, the number that a token visits, their width.
inline void set_experts(hf_figures& at, transformer::architecture& a, const char* all, std::size_t experts,
                        std::size_t top_k, std::size_t expert_ffn) {
  a.experts = at.needed({all, "num_local_experts", "num_experts"}, experts);
  a.top_k = at.needed({"num_experts_per_tok"}, top_k);
  a.expert_ffn = expert_ffn;
}

inline void mixtral_rules(hf_figures& at, transformer::architecture& a) {
  all_windows(at, a, 0);
  set_experts(at, a, "num_local_experts", 8, 2, 0);
}

/// Experts in every `decoder_sparse_step`-th layer, except those in `mlp_only_layers`.
inline void qwen_experts(hf_figures& at, transformer::architecture& a, std::size_t experts, std::size_t top_k,
                         std::size_t expert_ffn) {
  set_experts(at, a, "num_experts", experts, top_k, at.needed({"moe_intermediate_size"}, expert_ffn));
  const std::size_t step = at.count({"decoder_sparse_step"}, 1, 1);
  std::vector<bool> without(a.layers, false);
  if (const auto listed = at.find({"mlp_only_layers"})) without = listed_layers(*listed, a.layers);
  set_dense(a, [&](std::size_t i) { return without[i] || (i + 1) % step != 0; });
}

inline void qwen2_moe_rules(hf_figures& at, transformer::architecture& a) {
  a.qkv_bias = at.flag("qkv_bias", true);
  // Its windows, if used, would be in other layers than Qwen2's: they are accepted only if listed.
  const std::size_t window = at.flag("use_sliding_window", false) ? at.count_or_null("sliding_window", 4096) : 0;
  if (!set_listed_windows(at, a, window, "sliding_window") && window != 0) {
    at.object().fail_at("/use_sliding_window", "true, and no \"layer_types\" that list its layers");
  }
  qwen_experts(at, a, 60, 4, 1408);
  a.shared_ffn = at.count({"shared_expert_intermediate_size"}, 5632);
  a.shared_gate = a.shared_ffn != 0;
}

inline void qwen3_moe_rules(hf_figures& at, transformer::architecture& a) {
  qwen3_rules(at, a);
  qwen_experts(at, a, 128, 8, 768);
}

/// Experts after the first `first_k_dense_replace` layers, in each `moe_layer_freq`-th.
inline void deepseek_experts(hf_figures& at, transformer::architecture& a) {
  set_experts(at, a, "n_routed_experts", 0, 0, at.needed({"moe_intermediate_size"}));
  a.shared_ffn = at.count({"n_shared_experts"}, 0) * a.expert_ffn;
  a.router_groups = at.count_or_null("n_group", 0);
  a.top_groups = at.count_or_null("topk_group", 0);
  if (a.router_groups < 2) a.router_groups = a.top_groups = 0;  // all experts are one group
  const std::size_t first = at.count({"first_k_dense_replace"}, 0);
  const std::size_t step = at.count({"moe_layer_freq"}, 1, 1);
  set_dense(a, [&](std::size_t i) { return i < first || i % step != 0; });
}

/// DeepSeek-V2, arXiv 2405.04434, section 2.1; without `q_lora_rank` queries are projected directly.
inline void deepseek_v2_rules(hf_figures& at, transformer::architecture& a) {
  attention_bias(at, a);
  transformer::latent_attention& l = a.latent.emplace();
  l.query_rank = at.count_or_null("q_lora_rank", 1536);
  l.kv_rank = at.needed({"kv_lora_rank"});
  l.plain_dim = at.needed({"qk_nope_head_dim"});
  l.rotary_dim = at.needed({"qk_rope_head_dim"});
  l.value_dim = at.needed({"v_head_dim"});
  a.kv_heads = a.head_dim = 0;
  deepseek_experts(at, a);
  a.router_bias = at.text("topk_method", "") == "noaux_tc";
}

/// DeepSeek-V3, arXiv 2412.19437: the bias that balances the experts, and layers that predict further tokens.
inline void deepseek_v3_rules(hf_figures& at, transformer::architecture& a) {
  deepseek_v2_rules(at, a);
  a.router_bias = at.text("topk_method", "noaux_tc") == "noaux_tc";
  a.mtp_layers = at.count({"num_nextn_predict_layers"}, 0, 0, 1000);
}

/// GLM-4.5: experts as in DeepSeek-V3; biases only of queries, keys and values.
inline void glm4_moe_rules(hf_figures& at, transformer::architecture& a) {
  a.qkv_bias = at.flag("attention_bias", false);
  if (at.flag("use_qk_norm", false)) a.query_norm = transformer::qk_norm::head;
  deepseek_experts(at, a);
  a.router_bias = true;
  a.mtp_layers = at.count({"num_nextn_predict_layers"}, 0, 0, 1000);
}

/// Biases everywhere except embedding and head; the first of two layers has a window.
inline void gpt_oss_rules(hf_figures& at, transformer::architecture& a) {
  attention_bias(at, a, true);
  a.ffn_bias = a.router_bias = a.sinks = true;
  set_experts(at, a, "num_local_experts", 128, 4, 0);
  const std::size_t window = at.count_or_null("sliding_window", 128);
  if (!set_listed_windows(at, a, window, "sliding_window")) set_windows(a, window, 2);
}

/// A token sees the previous tokens of its chunk, in three of four layers: at most as many as in a window of that width.
/// Queries and keys are normalized without scales: no parameters.
inline void llama4_windows(const hf_figures& at, transformer::architecture& a) {
  const std::size_t chunk = at.count_or_null("attention_chunk_size", 8192);
  if (set_listed_windows(at, a, chunk, "attention_chunk_size")) return;
  const auto turned = at.find({"no_rope_layers"});
  if (!turned || turned->elements().size() == 0) {
    return set_windows(a, chunk, at.count({"no_rope_layer_interval"}, 4, 1));
  }
  const json_elements rotary = turned->elements();  // 1: positions, hence chunks
  if (rotary.size() < a.layers) turned->fail(std::to_string(rotary.size()), " elements, fewer than layers");
  a.forms.resize(a.layers);
  for (std::size_t i = 0; i < a.layers; ++i) a.forms[i].window = rotary[i].count() != 0 ? chunk : 0;
}

/// Experts and the expert that all tokens visit have width `intermediate_size`; layers without experts have another.
inline void llama4_rules(hf_figures& at, transformer::architecture& a) {
  attention_bias(at, a);
  llama4_windows(at, a);
  set_experts(at, a, "num_local_experts", 16, 1, a.ffn);
  a.shared_ffn = a.ffn;
  a.ffn = at.needed({"intermediate_size_mlp"}, 16384);
  const std::size_t step = at.count({"interleave_moe_layer_step"}, 1, 1);
  const auto listed = at.find({"moe_layers"});
  const std::vector<bool> routed = listed ? listed_layers(*listed, a.layers) : std::vector<bool>();
  set_dense(a, [&](std::size_t i) { return listed ? !routed[i] : (i + 1) % step != 0; });
}

/// A family: its defaults, and its differences from Llama without biases.
struct hf_family {
  const char* name;
  figure_defaults defaults;
  void (*rules)(hf_figures& at, transformer::architecture& a);
};

/// The families by name.
inline constexpr hf_family hf_families[] = {
    {"bert", {12, 768, 12, 0, 0, 3072, 30522, 512, true}, bert_rules},
    {"cohere", {40, 8192, 64, 0, 0, 22528, 256000, 8192, true}, cohere_rules},
    {"cohere2", {40, 8192, 64, 0, 0, 22528, 256000, 8192, true}, cohere2_rules},
    {"deepseek_v2", {0, 0, 0, 0, 0, 0, 0, 2048, false}, deepseek_v2_rules},
    {"deepseek_v3", {0, 0, 0, 0, 0, 0, 0, 4096, false}, deepseek_v3_rules},
    {"gemma", {28, 3072, 16, 16, 256, 24576, 256000, 8192, true}, gemma_rules},
    {"gemma2", {26, 2304, 8, 4, 256, 9216, 256000, 8192, true}, gemma2_rules},
    {"gemma3_text", {26, 2304, 8, 4, 256, 9216, 262208, 131072, true}, gemma3_rules},
    {"gpt2", {12, 768, 12, 0, 0, 0, 50257, 1024, true}, gpt2_rules},
    {"gpt_oss", {36, 2880, 64, 8, 64, 2880, 201088, 131072, false}, gpt_oss_rules},
    {"glm4_moe", {0, 0, 0, 8, 128, 0, 0, 131072, false}, glm4_moe_rules},
    {"kimi_k2", {0, 0, 0, 0, 0, 0, 0, 4096, false}, deepseek_v3_rules},
    {"llama", {32, 4096, 32, 0, 0, 11008, 32000, 2048, false}, llama_rules},
    {"llama4_text", {48, 5120, 40, 8, 128, 8192, 202048, 131072, false}, llama4_rules},
    {"mistral", {32, 4096, 32, 8, 0, 14336, 32000, 131072, false}, mistral_rules},
    {"mixtral", {32, 4096, 32, 8, 0, 14336, 32000, 131072, false}, mixtral_rules},
    {"phi", {24, 2048, 32, 0, 0, 8192, 51200, 2048, false}, phi_rules},
    {"phi3", {32, 3072, 32, 0, 0, 8192, 32064, 4096, false}, phi3_rules},
    {"qwen2", {32, 4096, 32, 32, 0, 22016, 151936, 32768, false}, qwen2_rules},
    {"qwen2_moe", {24, 2048, 16, 16, 0, 5632, 151936, 32768, false}, qwen2_moe_rules},
    {"qwen2_vl_text", {80, 8192, 64, 8, 0, 29568, 152064, 32768, false}, qwen2_vl_rules},
    {"qwen2_5_vl_text", {80, 8192, 64, 8, 0, 29568, 152064, 32768, false}, qwen2_vl_rules},
    {"qwen3", {32, 4096, 32, 32, 128, 22016, 151936, 32768, false}, qwen3_rules},
    {"qwen3_moe", {24, 2048, 32, 4, 0, 6144, 151936, 32768, false}, qwen3_moe_rules}};

/// Whether any dropout is above 0.
inline bool drops(const hf_figures& at, double otherwise) {
  for (const char* const name : {"attn_pdrop", "resid_pdrop", "embd_pdrop", "attention_dropout", "hidden_dropout_prob",
                                 "attention_probs_dropout_prob"}) {
    if (at.states(name) && at.amount(name, 0) > 0) return true;
  }
  return otherwise > 0 && !at.states("attn_pdrop") && !at.states("hidden_dropout_prob");
}

/// A text model.
/// @param outer  the object that contains the text's, if any; used to reject missing figures
inline transformer::architecture read_text_model(hf_figures& at, const hf_family& family, const hf_figures* outer) {
  const figure_defaults& d = family.defaults;
  transformer::architecture a;
  a.layers = at.needed({"num_hidden_layers", "n_layer"}, d.layers, most_layers);
  a.hidden = at.needed({"hidden_size", "n_embd"}, d.hidden);
  a.heads = at.needed({"num_attention_heads", "n_head"}, d.heads);
  a.vocabulary = at.needed({"vocab_size"}, d.vocabulary);
  const bool own_width = family.rules == gpt2_rules || family.rules == phi_rules;
  a.ffn =
      own_width ? at.count({"n_inner", "intermediate_size"}, 4 * a.hidden, 1) : at.needed({"intermediate_size"}, d.ffn);
  a.kv_heads = at.count({"num_key_value_heads"}, at.states("num_key_value_heads") ? 0 : d.kv_heads, 1);
  a.head_dim = at.count({"head_dim"}, at.states("head_dim") ? 0 : d.head_dim, 1);
  a.sequence = at.count({"max_position_embeddings", "n_positions", "n_ctx"}, d.positions, 1, std::size_t{1} << 53U);
  a.gated = true;
  a.biases = false;
  a.norm = transformer::normalization::rmsnorm;
  a.dropout = drops(at, family.rules == gpt2_rules || family.rules == bert_rules ? 0.1 : 0);
  const bool tied =
      at.flag("tie_word_embeddings", outer != nullptr ? outer->flag("tie_word_embeddings", d.tied) : d.tied);
  a.tied = tied ? transformer::tying::replicate : transformer::tying::none;
  family.rules(at, a);
  at.refuse_missing(family.name);
  settle(a);
  return a;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
