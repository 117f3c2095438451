// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/io/detail/hf_dense_rules.hpp>
#include <stagecut/io/detail/hf_figures.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/profile/architecture.hpp>

// What sets families of models with experts apart from Llama without biases.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Experts: how many, how many a token visits, their width.
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

/// Experts in every `decoder_sparse_step`-th layer, but in none of `mlp_only_layers`.
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
  // Its windows, were they used, would be of other layers than those of Qwen2: they are taken where they are listed.
  const std::size_t window = at.flag("use_sliding_window", false) ? at.count_or_null("sliding_window", 4096) : 0;
  if (!set_listed_windows(at, a, window, "sliding_window") && window != 0) {
    at.object().fail_at("/use_sliding_window", "true, and no \"layer_types\" that say of which layers");
  }
  qwen_experts(at, a, 60, 4, 1408);
  a.shared_ffn = at.count({"shared_expert_intermediate_size"}, 5632);
  a.shared_gate = a.shared_ffn != 0;
}

inline void qwen3_moe_rules(hf_figures& at, transformer::architecture& a) {
  qwen3_rules(at, a);
  qwen_experts(at, a, 128, 8, 768);
}

/// Experts behind the first `first_k_dense_replace` layers, in each `moe_layer_freq`-th.
inline void deepseek_experts(hf_figures& at, transformer::architecture& a) {
  set_experts(at, a, "n_routed_experts", 0, 0, at.needed({"moe_intermediate_size"}));
  a.shared_ffn = at.count({"n_shared_experts"}, 0) * a.expert_ffn;
  const std::size_t first = at.count({"first_k_dense_replace"}, 0);
  const std::size_t step = at.count({"moe_layer_freq"}, 1, 1);
  set_dense(a, [&](std::size_t i) { return i < first || i % step != 0; });
}

/// DeepSeek-V2, arXiv 2405.04434, section 2.1; without `q_lora_rank` queries are made at once.
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

/// DeepSeek-V3, arXiv 2412.19437: the bias that balances the experts, and layers that guess further tokens.
inline void deepseek_v3_rules(hf_figures& at, transformer::architecture& a) {
  deepseek_v2_rules(at, a);
  a.router_bias = at.text("topk_method", "noaux_tc") == "noaux_tc";
  a.mtp_layers = at.count({"num_nextn_predict_layers"}, 0, 0, 1000);
}

/// GLM-4.5: experts as in DeepSeek-V3; biases of queries, keys and values alone.
inline void glm4_moe_rules(hf_figures& at, transformer::architecture& a) {
  a.qkv_bias = at.flag("attention_bias", false);
  if (at.flag("use_qk_norm", false)) a.query_norm = transformer::qk_norm::head;
  deepseek_experts(at, a);
  a.router_bias = true;
  a.mtp_layers = at.count({"num_nextn_predict_layers"}, 0, 0, 1000);
}

/// Biases everywhere but in embedding and head; the first of two layers has a window.
inline void gpt_oss_rules(hf_figures& at, transformer::architecture& a) {
  attention_bias(at, a, true);
  a.ffn_bias = a.router_bias = a.sinks = true;
  set_experts(at, a, "num_local_experts", 128, 4, 0);
  const std::size_t window = at.count_or_null("sliding_window", 128);
  if (!set_listed_windows(at, a, window, "sliding_window")) set_windows(a, window, 2);
}

/// A token sees the tokens of its chunk that are before it, in three of four layers: at most as many as in a window of
/// that width. Queries and keys are normalised without scales: no parameters.
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

/// An expert and the one that all tokens visit are `intermediate_size` wide, layers without experts another width.
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

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
