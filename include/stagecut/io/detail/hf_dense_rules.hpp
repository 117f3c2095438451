// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/io/detail/hf_figures.hpp>
#include <stagecut/profile/architecture.hpp>

// What sets families of models with one feed-forward part a layer apart from Llama without biases.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Biases of all four matrices of attention, where `attention_bias` says so.
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

/// `max_window_layers` see all tokens, those behind them the window, if it is used at all.
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

/// Phi-1 to phi-2: attention and feed-forward part start from one norm; the head has a bias.
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

/// Norms have a scale and no shift. Those of queries and keys have scales for each head.
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

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
