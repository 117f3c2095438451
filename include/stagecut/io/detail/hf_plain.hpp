// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/io/detail/hf_figures.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Tokens of a sample where a plain file says nothing of it.
inline constexpr std::size_t plain_sequence = 4096;

/// Keys and values as one narrow vector, where `kv_lora_rank` is there.
inline void read_plain_latent(hf_figures& at, transformer::architecture& a) {
  if (!at.find({"kv_lora_rank"})) return;
  transformer::latent_attention& l = a.latent.emplace();
  l.query_rank = at.count({"q_lora_rank"}, 0);
  l.kv_rank = at.needed({"kv_lora_rank"});
  l.plain_dim = at.needed({"qk_nope_head_dim"});
  l.rotary_dim = at.count({"qk_rope_head_dim"}, 0);
  l.value_dim = at.needed({"v_head_dim"});
  a.kv_heads = a.head_dim = 0;
}

/// Experts, where `num_experts` is there and above 0.
inline void read_plain_experts(hf_figures& at, transformer::architecture& a) {
  a.experts = at.count({"num_experts"}, 0);
  if (a.experts == 0) return;
  a.top_k = at.needed({"num_experts_per_tok"});
  a.expert_ffn = at.count({"moe_intermediate_size"}, 0, 1);
  a.shared_ffn = at.count({"shared_intermediate_size"}, 0);
  a.shared_gate = at.flag("shared_gate", false);
  a.router_bias = at.flag("router_bias", false);
  const std::size_t dense = at.count({"first_k_dense"}, 0);
  if (dense != 0) set_dense(a, [&](std::size_t i) { return i < dense; });
}

/// A file that says all it means: no class stands behind its names, and nothing is taken for what is not said but what
/// most models have, RMS norms and a gate, no biases, rotary positions.
inline transformer::architecture read_plain_model(hf_figures& at) {
  constexpr word<transformer::normalization> norms[] = {{"rmsnorm", transformer::normalization::rmsnorm},
                                                        {"layernorm", transformer::normalization::layernorm}};
  transformer::architecture a;
  a.layers = at.needed({"num_hidden_layers"}, 0, most_layers);
  a.hidden = at.needed({"hidden_size"});
  a.heads = at.needed({"num_attention_heads"});
  a.ffn = at.needed({"intermediate_size"});
  a.vocabulary = at.needed({"vocab_size"});
  a.kv_heads = at.count({"num_key_value_heads"}, 0, 1);
  a.head_dim = at.count({"head_dim"}, 0, 1);
  a.gated = at.flag("gated", true);
  const auto norm = at.find({"norm"});
  a.norm = norm ? norm->one_of(norms) : transformer::normalization::rmsnorm;
  a.norms = at.count({"norms_per_layer"}, 2, 1, 4);
  a.parallel = a.norms == 1;
  a.biases = false;
  a.qkv_bias = at.flag("qkv_bias", false);
  a.output_bias = at.flag("o_bias", false);
  a.ffn_bias = at.flag("mlp_bias", false);
  a.dropout = at.flag("dropout", false);
  a.sinks = at.flag("attention_sinks", false);
  if (at.flag("qk_norm", false)) a.query_norm = transformer::qk_norm::head;
  if (at.flag("tie_word_embeddings", false)) a.tied = transformer::tying::replicate;
  a.positions = at.count({"learned_positions"}, 0);
  a.mtp_layers = at.count({"num_nextn_predict_layers"}, 0, 0, 1000);
  a.sequence = at.count({"max_position_embeddings", "learned_positions"}, plain_sequence, 1, std::size_t{1} << 53U);
  read_plain_latent(at, a);
  set_windows(a, at.count({"sliding_window"}, 0), 0);
  read_plain_experts(at, a);
  at.refuse_missing("a file of plain names");
  settle(a);
  return a;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
