// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <stagecut/io/detail/hf_dense_rules.hpp>
#include <stagecut/io/detail/hf_expert_rules.hpp>
#include <stagecut/io/detail/hf_figures.hpp>
#include <stagecut/profile/architecture.hpp>

// Families of models of text as the library transformers (Hugging Face) names them: its classes `XConfig` say what the
// figures are called and their defaults, its classes `XForCausalLM` which matrices, biases and norms there are. Tests
// hold the counts of parameters against published checkpoints.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A family: what it takes for what is not said, and what sets it apart from Llama without biases.
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

/// A model of text.
/// @param outer  the object around that of the text, where there is one; refuses what is missing
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
