// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

// Families of models as named by the library transformers (Hugging Face): what each of their figures is made of. The
// classes `XConfig` define the members of a file and their defaults, the classes `XForCausalLM` the matrices, biases and
// norms. Tests compare the counts of parameters with published checkpoints.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A family, as rows of text. A row that a family has replaces its base's row of that name. A line indented by more than
/// four spaces continues the one above.
///
///     FIGURE = FORMULA        a field of `architecture` by the name in `each_figure`; `latent.` and `mamba.` stand before
///                             fields of those parts, `layer.` before those of a layer's form, where `i` is its index
///     FIGURE, FIGURE = FORMULA  the same for each
///     let NAME = FORMULA      a name for other formulas
///     check NAME = FORMULA    evaluated first, for what it refuses
///     default NAME = FORMULA  of a member that a file may leave out
///     nested NAME = FORMULA, ...  the same within nested objects alone: files of models state these members themselves,
///                             since the class's defaults are those of its smallest model
///
/// A name in a formula is a row, or else a member of the file; in its own row it is the member. `config` is the object,
/// `outer` the one around it. A figure whose formula gives nothing is missing.
struct family {
  const char* name;
  const char* base;  ///< the family whose rows it has too; empty: none
  const char* rows;
};

/// What several families have in common: no families themselves.
inline constexpr family family_bases[] = {
    // A decoder as Llama's: no biases, a gate, rotary positions.
    {"text", "", R"(
  layers = first(num_hidden_layers, n_layer)
  hidden = first(hidden_size, n_embd)
  heads = first(num_attention_heads, n_head)
  kv_heads = num_key_value_heads ?? 0
  head_dim = head_dim ?? 0
  ffn = intermediate_size
  vocabulary = vocab_size
  sequence = max_position_embeddings
  gated = true
  biases = false
  norm = "rmsnorm"
  tied = first(config.tie_word_embeddings, outer.tie_word_embeddings, tie_word_embeddings, false) ? "replicate" : "none"
  let drops = attn_pdrop > 0 or resid_pdrop > 0 or embd_pdrop > 0 or attention_dropout > 0 or hidden_dropout_prob > 0
      or attention_probs_dropout_prob > 0
  dropout = drops
  let window = 0
  let window_here = 0
  let window_name = "sliding_window"
  let window_listed = window > 0 ? window : refuse(layer_types[i], layer_types[i], ', and no "', window_name, '"')
  layer.window = layer_types == nothing ? window_here : case(layer_types[i], "full_attention", 0,
      "sliding_attention", window_listed, "chunked_attention", window_listed)
  check types = layer_types == nothing or layers == nothing or len(layer_types) == layers ? 0
      : refuse(layer_types, len(layer_types), " elements, and ", layers, " layers"))"},
    // A window in all layers but the last of every `period`; 0: in all.
    {"windowed", "text", R"(
  let window = sliding_window ?? 0
  let period = 0
  let window_here = period == 0 or (i + 1) % period != 0 ? window : 0)"},
    // Layer norms, biases, no gate.
    {"classic", "text", R"(
  ffn = first(n_inner, intermediate_size, 4 * hidden)
  gated = false
  biases = true
  norm = "layernorm")"},
    // Windows from some layer on, if they are used at all.
    {"qwen", "text", R"(
  default sliding_window = 4096
  default max_window_layers = 28
  let window = use_sliding_window ?? false ? sliding_window ?? 0 : 0
  let window_here = i >= max_window_layers ?? 28 ? window : 0)"},
    // Experts behind the first layers, as in DeepSeek-V2.
    {"routed", "text", R"(
  experts = first(n_routed_experts, num_local_experts, num_experts)
  top_k = num_experts_per_tok
  expert_ffn = moe_intermediate_size
  shared_ffn = (n_shared_experts ?? 0) * moe_intermediate_size
  let groups = n_group ?? 0
  router_groups = groups < 2 ? 0 : groups
  top_groups = groups < 2 ? 0 : topk_group ?? 0
  layer.dense = i < first_k_dense_replace ?? 0 or i % moe_layer_freq ?? 1 != 0)"},
    // Mamba-2 in some layers, under the names of Bamba.
    {"recurrent", "text", R"(
  default max_position_embeddings = 8192
  default mamba_expand = 2
  recurrence.heads = mamba_n_heads
  recurrence.head_dim = mamba_d_head == nothing or mamba_d_head == "auto"
      ? first(mamba_d_ssm, mamba_expand * hidden) / mamba_n_heads : mamba_d_head
  recurrence.state = mamba_d_state
  recurrence.groups = mamba_n_groups
  recurrence.convolution = mamba_d_conv ?? 4
  recurrence.bias = mamba_proj_bias ?? false
  recurrence.convolution_bias = mamba_conv_bias ?? true)"},
    // Layers of one recurrent mixer each. Their attention would have one head.
    {"alone", "text", R"(
  default tie_word_embeddings = true
  heads = 1
  head_dim = 0
  ffn = hidden
  norms = 1
  sequence = 8192
  recurrence.convolution = conv_kernel
  recurrence.bias = use_bias ?? false
  recurrence.convolution_bias = use_conv_bias ?? true
  layer.mixer = "recurrence"
  layer.mixer_only = true)"},
    // Gated delta nets and gated attention.
    {"gated_delta", "text", R"(
  default max_position_embeddings = 32768
  default head_dim = 256
  qkv_bias, output_bias = attention_bias ?? false
  query_norm = "head"
  attention_gate = "element"
  mtp_layers = first(num_nextn_predict_layers, mtp_num_hidden_layers, 0)
  recurrence.kind = "gated_delta"
  recurrence.heads = linear_num_value_heads
  recurrence.head_dim = linear_value_head_dim
  recurrence.state = linear_key_head_dim
  recurrence.groups = linear_num_key_heads
  recurrence.convolution = linear_conv_kernel_dim ?? 4
  recurrence.convolution_bias = false
  layer.window = 0
  layer.mixer = layer_types == nothing
      ? (i + 1) % full_attention_interval ?? 4 == 0 ? "attention" : "recurrence"
      : case(layer_types[i], "full_attention", "attention", "linear_attention", "recurrence"))"},
    // Vision towers, before their projector. A layer whose output is unused (Llava's `vision_feature_layer` of -2) counts.
    {"tower", "", R"(
  layers = first(num_hidden_layers, depth)
  hidden = hidden_size
  heads = first(num_attention_heads, num_heads)
  ffn = intermediate_size
  let raw_patches = floor(image_size / patch_size) * floor(image_size / patch_size)
  inputs = first(num_channels, in_channels, in_chans, 3) * patch_size * patch_size
  patches = raw_patches
  check patch = patch_size > image_size
      ? refuse(config, '"patch_size" ', patch_size, ' is above "image_size" ', image_size) : 0)"},
    // Common to both towers of Qwen: no published size of images, so one of 448 pixels is assumed, as two equal frames; the
    // merger's norm applies to each patch, its first matrix takes several concatenated patches and keeps their width.
    {"qwen_tower", "tower", R"(
  default image_size = 448
  default patch_size = 14
  let side = spatial_merge_size ?? 2
  inputs = first(num_channels, in_channels, in_chans, 3) * patch_size * patch_size * (temporal_patch_size ?? 2)
  merged = side * side
  patches = max(merged, floor(raw_patches / merged) * merged)
  projector = [hidden * merged]
  projector_norm = hidden)"},
    // Images and text.
    {"pair", "", R"(
  let text_object = first(text_config, llm_config, language_config)
  let tower_object = vision_config)"}};

/// Models of text.
inline constexpr family text_families[] = {
    // Trinity: gated attention, four norms, windows in all layers but each fourth.
    {"afmoe", "windowed", R"(
  default max_position_embeddings = 16384
  default head_dim = 128
  let period = global_attn_every_n_layers ?? 4
  norms = 4
  query_norm = "head"
  attention_gate = "element"
  experts = num_experts
  top_k = num_experts_per_tok
  expert_ffn = moe_intermediate_size
  shared_ffn = (num_shared_experts ?? 0) * moe_intermediate_size
  router_bias = true
  layer.dense = i < num_dense_layers ?? 0)"},
    {"apertus", "text", R"(
  default max_position_embeddings = 65536
  gated = false
  query_norm = "head"
  qkv_bias, output_bias = attention_bias ?? false
  ffn_bias = mlp_bias ?? false)"},
    {"arcee", "llama", R"(
  gated = false
  squared_relu = true)"},
    // Ling: the head is normalized, without parameters.
    {"bailing_moe", "routed", R"(
  qkv_bias = use_qkv_bias ?? use_bias ?? false
  output_bias = use_bias ?? false
  query_norm = use_qk_norm ?? false ? "head" : "none"
  experts = num_experts
  shared_ffn = (num_shared_experts ?? 0) * (moe_shared_expert_intermediate_size ?? moe_intermediate_size)
  router_bias = moe_router_enable_expert_bias ?? false
  mtp_layers = num_nextn_predict_layers ?? 0)"},
    {"bailing_moe_v2", "bailing_moe", R"(
  router_bias = moe_router_enable_expert_bias ?? true)"},
    {"bamba", "recurrent", R"(
  default tie_word_embeddings = false
  ffn_bias = mlp_bias ?? false
  let attends = listed(attn_layer_indices ?? [], i, layers)
  layer.mixer = attends ? "attention" : "recurrence")"},
    // With the heads of BertForPreTraining.
    {"bert", "classic", R"(
  nested num_hidden_layers = 12, hidden_size = 768, num_attention_heads = 12, intermediate_size = 3072,
      vocab_size = 30522
  default max_position_embeddings = 512
  default tie_word_embeddings = true
  ffn = intermediate_size
  positions = max_position_embeddings
  token_types = type_vocab_size ?? 2
  encoder = true
  dropout = has(attn_pdrop) or has(hidden_dropout_prob) ? drops : true)"},
    {"bloom", "classic", R"(
  default tie_word_embeddings = true
  default seq_length = 2048
  embedding_norm = true
  sequence = first(max_position_embeddings, seq_length))"},
    {"camembert", "roberta", ""},
    // Norms have a scale and no shift; those of queries and keys have separate scales for each head.
    {"cohere", "text", R"(
  nested num_hidden_layers = 40, hidden_size = 8192, num_attention_heads = 64, intermediate_size = 22528,
      vocab_size = 256000
  default max_position_embeddings = 8192
  default tie_word_embeddings = true
  qkv_bias, output_bias = attention_bias ?? false
  norms = 1
  parallel = true
  head_dim = 0
  query_norm = use_qk_norm ?? false ? "token" : "none")"},
    {"cohere2", "windowed", R"(
  nested num_hidden_layers = 40, hidden_size = 8192, num_attention_heads = 64, intermediate_size = 22528,
      vocab_size = 256000
  default max_position_embeddings = 8192
  default sliding_window = 4096
  default tie_word_embeddings = true
  qkv_bias, output_bias = attention_bias ?? false
  norms = 1
  parallel = true
  head_dim = 0
  let period = first(sliding_window_pattern, _sliding_window_pattern, 4))"},
    {"deepseek_ref", "deepseek_v4", ""},
    // arXiv 2405.04434, section 2.1; without `q_lora_rank` queries are projected directly.
    {"deepseek_v2", "routed", R"(
  default max_position_embeddings = 2048
  default q_lora_rank = 1536
  qkv_bias, output_bias = attention_bias ?? false
  kv_heads = 0
  head_dim = 0
  latent.query_rank = q_lora_rank ?? 0
  latent.kv_rank = kv_lora_rank
  latent.plain_dim = qk_nope_head_dim
  latent.rotary_dim = qk_rope_head_dim
  latent.value_dim = v_head_dim
  layer.window = 0
  router_bias = topk_method == "noaux_tc")"},
    // arXiv 2412.19437: the bias that balances the experts, and layers that predict further tokens.
    {"deepseek_v3", "deepseek_v2", R"(
  default max_position_embeddings = 4096
  router_bias = topk_method ?? "noaux_tc" == "noaux_tc"
  mtp_layers = num_nextn_predict_layers ?? 0)"},
    {"deepseek_v32", "deepseek_v3", R"(
  indexer.heads = index_n_heads
  indexer.head_dim = index_head_dim
  indexer.top_k = index_topk)"},
    // Compressed keys: of four tokens each with an indexer, or of 128; streams of residuals.
    {"deepseek_v4", "text", R"(
  default max_position_embeddings = 1048576
  default compress_rates = nothing
  ffn = first(intermediate_size, moe_intermediate_size)
  kv_heads = 1
  query_rank = q_lora_rank
  output_rank = o_lora_rank
  output_groups = o_groups
  streams = hc_mult ?? 1
  sinks = true
  experts = n_routed_experts
  top_k = num_experts_per_tok
  expert_ffn = moe_intermediate_size
  shared_ffn = (n_shared_experts ?? 0) * moe_intermediate_size
  router_bias = topk_method ?? "noaux_tc" == "noaux_tc"
  mtp_layers = num_nextn_predict_layers ?? 0
  indexer.heads = index_n_heads
  indexer.head_dim = index_head_dim
  indexer.top_k = index_topk
  layer.window = sliding_window
  layer.keys_are_values = true
  layer.compression = compress_ratios[i]
  layer.shares_indexer = compress_ratios[i] != 4
  check ratios = compress_ratios == nothing ? refuse(config, 'no "compress_ratios"') : 0)"},
    {"dots1", "glm4_moe", R"(
  layer.window = layer_types == nothing ? window_here : layer_types[i] == "sliding_attention" ? window : 0
  default num_key_value_heads = 0
  default head_dim = 0
  default max_position_embeddings = 2048
  output_bias = attention_bias ?? false
  query_norm = "head"
  mtp_layers = 0
  let window = sliding_window ?? 0
  let window_here = use_sliding_window ?? false and i >= max_window_layers ?? 62 ? window : 0)"},
    {"ernie4_5", "text", R"(
  default max_position_embeddings = 131072
  default tie_word_embeddings = true
  qkv_bias = use_bias ?? false
  output_bias = use_bias ?? false
  ffn_bias = use_bias ?? false)"},
    {"ernie4_5_moe", "ernie4_5", R"(
  experts = moe_num_experts
  top_k = moe_k
  expert_ffn = one(moe_intermediate_size)
  shared_ffn = (moe_num_shared_experts ?? 0) * one(moe_intermediate_size)
  router_bias = true
  let first_routed = one(moe_layer_start_index ?? 1)
  let last_routed = one(first(moe_layer_end_index, layers - 1))
  layer.dense = i < first_routed or i > last_routed or (i + 1) % moe_layer_interval ?? 1 != 0)"},
    {"exaone4", "windowed", R"(
  default max_position_embeddings = 2048
  default sliding_window = 4096
  let period = 4
  query_norm = "head")"},
    {"exaone_moe", "exaone4", R"(
  experts = num_experts
  top_k = num_experts_per_tok
  expert_ffn = moe_intermediate_size
  shared_ffn = (num_shared_experts ?? 0) * moe_intermediate_size
  router_bias = true
  mtp_layers = num_nextn_predict_layers ?? 0
  layer.dense = mlp_layer_types == nothing ? i < first_k_dense_replace ?? 1 : mlp_layer_types[i] == "dense")"},
    // Without `new_decoder_architecture` attention and feed-forward part share one norm, unless they follow each other.
    {"falcon", "classic", R"(
  default tie_word_embeddings = true
  default max_position_embeddings = 2048
  let newer = new_decoder_architecture ?? false
  ffn = first(ffn_hidden_size, 4 * hidden)
  kv_heads = newer ? num_kv_heads ?? 0 : multi_query ?? true ? 1 : 0
  biases = bias ?? false
  parallel = newer or parallel_attn ?? true
  norms = newer ? num_ln_in_parallel_attn ?? 2 : parallel ? 1 : 2)"},
    // Attention and Mamba-2 in parallel.
    {"falcon_h1", "recurrent", R"(
  ffn_bias = mlp_bias ?? false
  qkv_bias, output_bias = attention_bias ?? false
  recurrence.norm = mamba_rms_norm ?? false
  layer.mixer = "both")"},
    {"falcon_mamba", "mamba", ""},
    {"gemma", "text", R"(
  nested num_hidden_layers = 28, hidden_size = 3072, num_attention_heads = 16, intermediate_size = 24576,
      vocab_size = 256000
  default num_key_value_heads = 16
  default head_dim = 256
  default max_position_embeddings = 8192
  default tie_word_embeddings = true
  qkv_bias, output_bias = attention_bias ?? false)"},
    {"gemma2", "windowed", R"(
  nested num_hidden_layers = 26, hidden_size = 2304, num_attention_heads = 8, intermediate_size = 9216,
      vocab_size = 256000
  default num_key_value_heads = 4
  default head_dim = 256
  default max_position_embeddings = 8192
  default sliding_window = 4096
  default tie_word_embeddings = true
  qkv_bias, output_bias = attention_bias ?? false
  norms = 4
  let period = 2)"},
    {"gemma3_text", "gemma2", R"(
  nested vocab_size = 262208
  default max_position_embeddings = 131072
  query_norm = "head"
  let period = first(sliding_window_pattern, _sliding_window_pattern, 6))"},
    {"gemma4_text", "gemma3_text", R"(
  default max_position_embeddings = 131072
  default global_head_dim = 512
  let routed = enable_moe_block ?? false
  let whole = layer_types[i] == "full_attention"
  let alike = attention_k_eq_v ?? false
  norms = routed ? 8 : 4
  experts = routed ? num_experts : 0
  top_k = routed ? top_k_experts : 0
  expert_ffn = routed ? moe_intermediate_size : 0
  shared_ffn = routed ? intermediate_size : 0
  router_bias = routed
  layer.head_dim = whole ? global_head_dim ?? 0 : 0
  layer.kv_heads = whole and alike ? num_global_key_value_heads ?? 0 : 0
  layer.keys_are_values = whole and alike
  check types = layer_types == nothing ? refuse(config, 'no "layer_types"') : 0
  check input = hidden_size_per_layer_input ?? 0 > 0
      ? refuse(hidden_size_per_layer_input, "such models are not known here") : 0
  check wide = use_double_wide_mlp ?? false ? refuse(use_double_wide_mlp, "such models are not known here") : 0)"},
    {"glm", "text", R"(
  default num_key_value_heads = 2
  default head_dim = 128
  default max_position_embeddings = 131072
  qkv_bias = attention_bias ?? false)"},
    {"glm4", "glm", R"(
  norms = 4)"},
    // Experts as in DeepSeek-V3; biases only of queries, keys and values.
    {"glm4_moe", "routed", R"(
  mtp_layers = num_nextn_predict_layers ?? 0
  qkv_bias = attention_bias ?? false
  default num_key_value_heads = 8
  default head_dim = 128
  default max_position_embeddings = 131072
  query_norm = use_qk_norm ?? false ? "head" : "none"
  router_bias = true)"},
    {"glm4_moe_lite", "deepseek_v3", R"(
  router_bias = true
  layer.dense = mlp_layer_types == nothing ? i < first_k_dense_replace ?? 1 : mlp_layer_types[i] == "dense")"},
    // GLM-5: layers of the type `shared` see the tokens that an earlier one's indexer chose.
    {"glm_moe_dsa", "deepseek_v32", R"(
  router_bias = true
  layer.dense = mlp_layer_types == nothing ? i < first_k_dense_replace ?? 3 : mlp_layer_types[i] == "dense"
  layer.shares_indexer = indexer_types[i] == "shared")"},
    {"gpt2", "classic", R"(
  nested num_hidden_layers = 12, hidden_size = 768, num_attention_heads = 12, vocab_size = 50257
  default tie_word_embeddings = true
  positions = first(n_positions, max_position_embeddings, n_ctx, 1024)
  sequence = first(max_position_embeddings, n_positions, n_ctx, 1024)
  dropout = has(attn_pdrop) or has(hidden_dropout_prob) ? drops : true)"},
    {"gpt_bigcode", "gpt2", R"(
  kv_heads = multi_query ?? true ? 1 : 0)"},
    {"gpt_neox", "classic", R"(
  default max_position_embeddings = 2048
  ffn = intermediate_size
  qkv_bias = attention_bias ?? true
  output_bias = attention_bias ?? true
  parallel = use_parallel_residual ?? true)"},
    // Biases everywhere except embedding and head; the first of two layers has a window.
    {"gpt_oss", "windowed", R"(
  nested num_hidden_layers = 36, hidden_size = 2880, num_attention_heads = 64, intermediate_size = 2880,
      vocab_size = 201088, num_local_experts = 128, num_experts_per_tok = 4
  default num_key_value_heads = 8
  default head_dim = 64
  default max_position_embeddings = 131072
  default sliding_window = 128
  let period = 2
  qkv_bias = attention_bias ?? true
  output_bias = attention_bias ?? true
  ffn_bias = true
  router_bias = true
  sinks = true
  experts = first(config.num_local_experts, num_experts, num_local_experts)
  top_k = num_experts_per_tok)"},
    {"gptj", "classic", R"(
  default n_positions = 2048
  sequence = n_positions
  qkv_bias = false
  output_bias = false
  norms = 1
  parallel = true
  head_bias = true)"},
    {"granite", "llama", ""},
    {"granitemoe", "granite", R"(
  experts = num_local_experts
  top_k = num_experts_per_tok)"},
    {"granitemoehybrid", "recurrent", R"(
  default tie_word_embeddings = true
  qkv_bias, output_bias = attention_bias ?? false
  experts = num_local_experts ?? 0
  top_k = experts > 0 ? num_experts_per_tok : 0
  expert_ffn = experts > 0 ? intermediate_size : 0
  shared_ffn = experts > 0 ? shared_intermediate_size ?? 0 : 0
  ffn = experts > 0 ? intermediate_size : shared_intermediate_size
  let kind = first(layer_types[i], layers_block_type[i])
  layer.mixer = kind == nothing or kind == "attention" ? "attention" : "recurrence"
  layer.window = 0)"},
    {"granitemoeshared", "granitemoe", R"(
  shared_ffn = shared_intermediate_size ?? 0)"},
    {"hunyuan_v1_dense", "llama", R"(
  query_norm = use_qk_norm ?? true ? "head" : "none")"},
    {"hunyuan_v1_moe", "hunyuan_v1_dense", R"(
  head_dim = first(attention_head_dim, head_dim, 0)
  experts = num_experts
  top_k = one(moe_topk)
  expert_ffn = one(moe_intermediate_size ?? intermediate_size)
  shared_ffn = intermediate_size * one(num_shared_expert ?? 1)
  layer.dense = i < moe_layer_num_skipped ?? 0)"},
    // Hunyuan 3.
    {"hy_v3", "routed", R"(
  default max_position_embeddings = 131072
  qkv_bias, output_bias = attention_bias ?? false
  query_norm = "head"
  shared_ffn = (num_shared_experts ?? 0) * moe_intermediate_size
  router_bias = true
  layer.dense = mlp_layer_types == nothing ? i < first_k_dense_replace ?? 1 : mlp_layer_types[i] == "dense")"},
    // The feed-forward part's activation is the square of a ReLU.
    {"jais2", "classic", R"(
  default max_position_embeddings = 8192
  ffn = intermediate_size
  squared_relu = true
  qkv_bias, output_bias = attention_bias ?? true
  ffn_bias = mlp_bias ?? true)"},
    // Attention in one of `attn_layer_period` layers, Mamba in the others; experts in one of `expert_layer_period`.
    {"jamba", "text", R"(
  default max_position_embeddings = 262144
  default attn_layer_period = 8
  default attn_layer_offset = 4
  default expert_layer_period = 2
  default expert_layer_offset = 1
  default mamba_expand = 2
  experts = num_experts
  top_k = num_experts_per_tok
  recurrence.kind = "mamba1"
  recurrence.heads = mamba_expand * hidden
  recurrence.head_dim = 1
  recurrence.state = mamba_d_state ?? 16
  recurrence.convolution = mamba_d_conv ?? 4
  recurrence.rank = mamba_dt_rank == nothing or mamba_dt_rank == "auto" ? ceil(hidden / 16) : mamba_dt_rank
  recurrence.bias = mamba_proj_bias ?? false
  recurrence.convolution_bias = mamba_conv_bias ?? true
  layer.mixer = i % attn_layer_period == attn_layer_offset ? "attention" : "recurrence"
  layer.dense = experts < 2 or i % expert_layer_period != expert_layer_offset)"},
    {"kimi_k2", "deepseek_v3", ""},
    // Layers count from 1 in the lists. Queries have no rotary part, but the numbers of one.
    {"kimi_linear", "deepseek_v3", R"(
  experts = num_experts
  top_k = first(num_experts_per_token, num_experts_per_tok)
  shared_ffn = (num_shared_experts ?? 0) * moe_intermediate_size
  router_bias = true
  let groups = num_expert_group ?? 0
  recurrence.kind = "kimi_delta"
  recurrence.heads = linear_attn_config.num_heads
  recurrence.head_dim = linear_attn_config.head_dim
  recurrence.state = linear_attn_config.head_dim
  recurrence.groups = linear_attn_config.num_heads
  recurrence.rank = linear_attn_config.head_dim
  recurrence.convolution = linear_attn_config.short_conv_kernel_size ?? 4
  recurrence.convolution_bias = false
  layer.mixer = listed(linear_attn_config.full_attn_layers, i + 1, layers + 1) ? "attention" : "recurrence"
  check rank = linear_attn_config.use_full_rank_gate ?? false
      ? refuse(linear_attn_config.use_full_rank_gate, "such models are not known here") : 0)"},
    {"lfm2", "text", R"(
  default max_position_embeddings = 128000
  default block_multiple_of = 256
  default block_ffn_dim_multiplier = 1
  default tie_word_embeddings = true
  let stated = first(block_ff_dim, intermediate_size)
  let third = floor(block_ffn_dim_multiplier * floor(2 * stated / 3))
  ffn = block_auto_adjust_ff_dim ?? true ? ceil(third / block_multiple_of) * block_multiple_of : stated
  query_norm = "head"
  recurrence.kind = "short_convolution"
  recurrence.heads = hidden
  recurrence.head_dim = 1
  recurrence.bias = conv_bias ?? false
  recurrence.convolution = conv_L_cache ?? 3
  recurrence.convolution_bias = conv_bias ?? false
  layer.window = 0
  layer.mixer = layer_types == nothing
      ? listed(full_attn_idxs ?? [], i, layers) ? "attention" : "recurrence"
      : case(layer_types[i], "full_attention", "attention", "conv", "recurrence"))"},
    {"lfm2_moe", "lfm2", R"(
  ffn = intermediate_size
  experts = num_experts
  top_k = num_experts_per_tok
  expert_ffn = moe_intermediate_size
  router_bias = use_expert_bias ?? true
  layer.dense = i < num_dense_layers ?? 2)"},
    {"llama", "text", R"(
  nested num_hidden_layers = 32, hidden_size = 4096, num_attention_heads = 32, intermediate_size = 11008,
      vocab_size = 32000
  default max_position_embeddings = 2048
  qkv_bias, output_bias = attention_bias ?? false
  ffn_bias = mlp_bias ?? false)"},
    // A token sees the previous tokens of its chunk, in three of four layers: at most as many as in a window of that width.
    // Queries and keys are normalized without scales: no parameters. Experts and the expert that all tokens visit have the
    // width `intermediate_size`; layers without experts have another.
    {"llama4_text", "text", R"(
  nested num_hidden_layers = 48, hidden_size = 5120, num_attention_heads = 40, intermediate_size = 8192,
      intermediate_size_mlp = 16384, vocab_size = 202048, num_local_experts = 16, num_experts_per_tok = 1
  default num_key_value_heads = 8
  default head_dim = 128
  default max_position_embeddings = 131072
  default attention_chunk_size = 8192
  qkv_bias, output_bias = attention_bias ?? false
  ffn = intermediate_size_mlp
  experts = first(config.num_local_experts, num_experts, num_local_experts)
  top_k = num_experts_per_tok
  expert_ffn = intermediate_size
  shared_ffn = intermediate_size
  layer.dense = moe_layers == nothing ? (i + 1) % interleave_moe_layer_step ?? 1 != 0 : not listed(moe_layers, i, layers)
  let window = attention_chunk_size ?? 0
  let window_name = "attention_chunk_size"
  let turned = len(no_rope_layers) > 0
  let window_here = (turned ? no_rope_layers[i] != 0 : (i + 1) % no_rope_layer_interval ?? 4 != 0) ? window : 0
  check turned = turned and len(no_rope_layers) < layers
      ? refuse(no_rope_layers, len(no_rope_layers), " elements, fewer than layers") : 0)"},
    {"mamba", "alone", R"(
  default state_size = 16
  default conv_kernel = 4
  default expand = 2
  recurrence.kind = "mamba1"
  recurrence.heads = first(intermediate_size, expand * hidden)
  recurrence.head_dim = 1
  recurrence.state = state_size
  recurrence.rank = time_step_rank == nothing or time_step_rank == "auto" ? ceil(hidden / 16) : time_step_rank
  recurrence.norm = false)"},
    {"mamba2", "alone", R"(
  default state_size = 128
  default conv_kernel = 4
  default n_groups = 8
  default tie_word_embeddings = false
  recurrence.heads = num_heads
  recurrence.head_dim = config.head_dim ?? 64
  recurrence.state = state_size
  recurrence.groups = n_groups)"},
    {"mellum", "mixtral", R"(
  query_norm = "head"
  expert_ffn = moe_intermediate_size
  layer.dense = mlp_layer_types[i] == "dense")"},
    {"mimo", "qwen2", R"(
  qkv_bias = attention_bias ?? true
  mtp_layers = num_nextn_predict_layers ?? 0)"},
    {"mimo_v2_flash", "text", R"(
  default max_position_embeddings = 262144
  qkv_bias = attention_bias ?? false
  value_dim = v_head_dim ?? 0
  experts = n_routed_experts
  top_k = num_experts_per_tok
  expert_ffn = moe_intermediate_size
  shared_ffn = (n_shared_experts ?? 0) * moe_intermediate_size
  router_bias = topk_method == "noaux_tc"
  let near = hybrid_layer_pattern[i] == 1
  layer.dense = moe_layer_freq[i] == 0
  layer.window = near ? sliding_window : 0
  layer.heads = near ? swa_num_attention_heads ?? 0 : 0
  layer.kv_heads = near ? swa_num_key_value_heads ?? 0 : 0
  layer.head_dim = near ? swa_head_dim ?? 0 : 0)"},
    // MiniMax-01 and M1: lightning attention in all layers but those that are listed.
    {"minimax", "text", R"(
  default max_position_embeddings = 32768
  experts = num_local_experts
  top_k = num_experts_per_tok
  let full = layer_types == nothing ? attn_type_list[i] == 1 : layer_types[i] == "full_attention"
  layer.window = 0
  layer.mixer = full ? "attention" : "recurrence"
  recurrence.kind = "lightning"
  recurrence.heads = heads
  recurrence.head_dim = first(head_dim, hidden / heads)
  recurrence.state = first(head_dim, hidden / heads)
  recurrence.groups = heads
  recurrence.convolution = 0)"},
    {"minimax_m2", "text", R"(
  default max_position_embeddings = 196608
  default head_dim = 128
  query_norm = use_qk_norm ?? true ? qk_norm_type ?? "per_layer" == "per_head" ? "head" : "token" : "none"
  experts = num_local_experts
  top_k = num_experts_per_tok
  router_bias = use_routing_bias ?? true)"},
    // With an indexer that chooses blocks of tokens: its matrices count, its blocks as single tokens.
    {"minimax_m3", "minimax_m2", R"(
  let sparse = sparse_attention_config.use_sparse_attention ?? false
  ffn = first(dense_intermediate_size, intermediate_size)
  expert_ffn = intermediate_size
  shared_ffn = shared_intermediate_size ?? 0
  layer.dense = moe_layer_freq[i] == 0
  indexer = sparse
  indexer.heads = sparse_attention_config.sparse_num_index_heads
  indexer.head_dim = sparse_attention_config.sparse_index_dim
  indexer.top_k = sparse_attention_config.sparse_topk_blocks * sparse_attention_config.sparse_block_size
  layer.shares_indexer = sparse and sparse_attention_config.sparse_attention_freq[i] == 0)"},
    {"ministral", "windowed", R"(
  default max_position_embeddings = 131072
  default sliding_window = 4096)"},
    {"ministral3", "text", R"(
  default max_position_embeddings = 262144
  default num_key_value_heads = 8)"},
    {"mistral", "windowed", R"(
  nested num_hidden_layers = 32, hidden_size = 4096, num_attention_heads = 32, intermediate_size = 14336,
      vocab_size = 32000
  default num_key_value_heads = 8
  default max_position_embeddings = 131072
  default sliding_window = 4096)"},
    {"mistral4", "deepseek_v3", R"(
  default max_position_embeddings = 1048576
  router_bias = false)"},
    {"mixtral", "windowed", R"(
  nested num_hidden_layers = 32, hidden_size = 4096, num_attention_heads = 32, intermediate_size = 14336,
      vocab_size = 32000, num_local_experts = 8, num_experts_per_tok = 2
  default num_key_value_heads = 8
  default max_position_embeddings = 131072
  experts = first(config.num_local_experts, num_experts, num_local_experts)
  top_k = num_experts_per_tok)"},
    {"modernbert", "text", R"(
  default max_position_embeddings = 8192
  default tie_word_embeddings = true
  default local_attention = 128
  default global_attn_every_n_layers = 3
  qkv_bias, output_bias = attention_bias ?? false
  ffn_bias = mlp_bias ?? false
  norm = norm_bias ?? false ? "layernorm" : "rmsnorm"
  causal = false
  embedding_norm = true
  head_dense = true
  head_bias = decoder_bias ?? true
  let window = local_attention
  let window_here = i % global_attn_every_n_layers != 0 ? window : 0)"},
    {"nemotron", "text", R"(
  default max_position_embeddings = 4096
  gated = false
  squared_relu = true
  norm = "layernorm"
  qkv_bias, output_bias = attention_bias ?? false
  ffn_bias = mlp_bias ?? false)"},
    // Layers that a search chose one by one: groups of heads, widths, parts left out.
    {"nemotron-nas", "text", R"(
  default max_position_embeddings = 131072
  kv_heads = 0
  ffn = hidden
  ffn_bias = mlp_bias ?? false
  qkv_bias, output_bias = attention_bias ?? false
  let attends = block_configs[i].attention.no_op ?? false
  let block = block_configs[i]
  let share = block_configs[i].ffn.ffn_mult ?? 0
  layer.mixer = attends ? "none" : "attention"
  layer.mixer_only = block_configs[i].ffn.no_op ?? false
  layer.window = 0
  layer.kv_heads = attends ? 0 : heads / block_configs[i].attention.n_heads_in_group
  layer.ffn = ceil(floor(2 * share * hidden / 3) / 256) * 256
  check blocks = block_configs == nothing or layers == nothing or len(block_configs) == layers ? 0
      : refuse(block_configs, len(block_configs), " elements, and ", layers, " layers"))"},
    // One part a layer: M for Mamba-2, * for attention, - for a feed-forward part, E for experts; in newer files as words.
    {"nemotron_h", "text", R"(
  default max_position_embeddings = 4096
  layers = first(num_hidden_layers, len(hybrid_override_pattern), len(layers_block_type))
  head_dim = first(head_dim, attention_head_dim, 0)
  gated = false
  squared_relu = mlp_hidden_act ?? "relu2" == "relu2"
  norms = 1
  qkv_bias, output_bias = attention_bias ?? false
  ffn_bias = mlp_bias ?? false
  let routed = n_routed_experts ?? 0 > 0
  experts = n_routed_experts ?? 0
  top_k = routed ? num_experts_per_tok : 0
  expert_ffn = routed ? moe_intermediate_size : 0
  shared_ffn = routed ? (n_shared_experts ?? 1) * (moe_shared_expert_intermediate_size ?? 0) : 0
  expert_hidden = routed ? moe_latent_size ?? 0 : 0
  router_bias = routed
  let groups = n_group ?? 0
  router_groups = groups < 2 ? 0 : groups
  top_groups = groups < 2 ? 0 : topk_group ?? 0
  recurrence.heads = mamba_num_heads
  recurrence.head_dim = mamba_head_dim
  recurrence.state = ssm_state_size
  recurrence.groups = n_groups
  recurrence.convolution = conv_kernel ?? 4
  recurrence.bias = mamba_proj_bias ?? use_bias ?? false
  recurrence.convolution_bias = use_conv_bias ?? true
  let kind = hybrid_override_pattern == nothing
      ? case(layers_block_type[i], "mamba", "M", "attention", "*", "mlp", "-", "moe", "E")
      : case(hybrid_override_pattern[i], "M", "M", "*", "*", "-", "-", "E", "E")
  layer.window = 0
  layer.mixer = kind == "M" ? "recurrence" : kind == "*" ? "attention" : "none"
  layer.mixer_only = kind == "M" or kind == "*"
  layer.dense = kind == "-"
  check pattern = layers == nothing or len(first(hybrid_override_pattern, layers_block_type)) == layers ? 0
      : refuse(first(hybrid_override_pattern, layers_block_type, config), "is not of ", layers, " layers"))"},
    // Its norms have no parameters: counted as if they had scales.
    {"olmo", "llama", ""},
    {"olmo2", "text", R"(
  default max_position_embeddings = 2048
  qkv_bias, output_bias = attention_bias ?? false
  query_norm = "token")"},
    {"olmo3", "windowed", R"(
  default max_position_embeddings = 2048
  default sliding_window = 4096
  let period = 4
  qkv_bias, output_bias = attention_bias ?? false
  query_norm = "token")"},
    {"olmoe", "olmo2", R"(
  experts = num_experts
  top_k = num_experts_per_tok)"},
    // The table of positions has two rows more.
    {"opt", "classic", R"(
  default tie_word_embeddings = true
  default max_position_embeddings = 2048
  ffn = ffn_dim
  positions = max_position_embeddings + 2
  biases = enable_bias ?? true
  check width = word_embed_proj_dim == nothing or word_embed_proj_dim == hidden ? 0
      : refuse(word_embed_proj_dim, "such models are not known here"))"},
    // Phi-1 to phi-2: attention and feed-forward part share one input norm; the head has a bias.
    {"phi", "classic", R"(
  nested num_hidden_layers = 24, hidden_size = 2048, num_attention_heads = 32, vocab_size = 51200
  default max_position_embeddings = 2048
  norms = 1
  parallel = true
  head_bias = true
  check norm = qk_layernorm ?? false ? refuse(qk_layernorm, "such models are not known here") : 0)"},
    {"phi3", "windowed", R"(
  nested num_hidden_layers = 32, hidden_size = 3072, num_attention_heads = 32, intermediate_size = 8192,
      vocab_size = 32064
  default max_position_embeddings = 4096)"},
    {"phimoe", "mixtral", R"(
  norm = "layernorm"
  qkv_bias, output_bias = attention_bias ?? false
  head_bias = lm_head_bias ?? false)"},
    {"qwen2", "qwen", R"(
  nested num_hidden_layers = 32, hidden_size = 4096, num_attention_heads = 32, intermediate_size = 22016,
      vocab_size = 151936
  default num_key_value_heads = 32
  default max_position_embeddings = 32768
  qkv_bias = true)"},
    {"qwen2_5_vl_text", "qwen2_vl_text", ""},
    // Experts in every `decoder_sparse_step`-th layer, except those in `mlp_only_layers`. Its windows, if used, would be in
    // other layers than Qwen2's: they are accepted only if listed.
    {"qwen2_moe", "qwen", R"(
  nested num_hidden_layers = 24, hidden_size = 2048, num_attention_heads = 16, intermediate_size = 5632,
      vocab_size = 151936, num_experts = 60, num_experts_per_tok = 4, moe_intermediate_size = 1408
  default num_key_value_heads = 16
  default max_position_embeddings = 32768
  qkv_bias = qkv_bias ?? true
  experts = first(config.num_experts, num_local_experts, num_experts)
  top_k = num_experts_per_tok
  expert_ffn = moe_intermediate_size
  shared_ffn = shared_expert_intermediate_size ?? 5632
  shared_gate = shared_ffn > 0
  layer.dense = listed(mlp_only_layers ?? [], i, layers) or (i + 1) % decoder_sparse_step ?? 1 != 0
  check windows = window > 0 and layer_types == nothing
      ? refuse(use_sliding_window, 'true, and no "layer_types" that list its layers') : 0)"},
    {"qwen2_vl_text", "qwen2", R"(
  nested num_hidden_layers = 80, hidden_size = 8192, num_attention_heads = 64, intermediate_size = 29568,
      vocab_size = 152064
  default num_key_value_heads = 8
  let window_here = i >= config.max_window_layers ?? 80 ? window : 0)"},
    {"qwen3", "qwen2", R"(
  default head_dim = 128
  qkv_bias, output_bias = attention_bias ?? false
  query_norm = "head")"},
    {"qwen3_5_moe_text", "qwen3_next", ""},
    {"qwen3_5_text", "gated_delta", ""},
    {"qwen3_moe", "qwen3", R"(
  nested num_hidden_layers = 24, hidden_size = 2048, intermediate_size = 6144, num_experts = 128,
      num_experts_per_tok = 8, moe_intermediate_size = 768
  default num_key_value_heads = 4
  default head_dim = 0
  experts = first(config.num_experts, num_local_experts, num_experts)
  top_k = num_experts_per_tok
  expert_ffn = moe_intermediate_size
  layer.dense = listed(mlp_only_layers ?? [], i, layers) or (i + 1) % decoder_sparse_step ?? 1 != 0)"},
    // Qwen3-Next: gated delta nets in three of four layers, gated attention in the others, experts in all.
    {"qwen3_next", "gated_delta", R"(
  experts = num_experts
  top_k = num_experts_per_tok
  expert_ffn = moe_intermediate_size
  ffn = first(intermediate_size, moe_intermediate_size)
  shared_ffn = shared_expert_intermediate_size ?? 0
  shared_gate = shared_ffn > 0
  layer.dense = listed(mlp_only_layers ?? [], i, layers) or (i + 1) % decoder_sparse_step ?? 1 != 0)"},
    {"qwen3_vl_moe_text", "qwen3_moe", ""},
    {"qwen3_vl_text", "qwen3", ""},
    {"roberta", "bert", R"(
  pooler = false)"},
    {"seed_oss", "text", R"(
  default max_position_embeddings = 524288
  default head_dim = 128
  qkv_bias = attention_bias ?? true
  output_bias = attention_out_bias ?? false
  ffn_bias = mlp_bias ?? false)"},
    {"smollm3", "llama", R"(
  default max_position_embeddings = 32768
  default tie_word_embeddings = true
  let window = use_sliding_window ?? false ? sliding_window ?? 0 : 0
  let window_here = window)"},
    {"solar_open", "glm4_moe", R"(
  ffn = first(intermediate_size, moe_intermediate_size))"},
    {"stablelm", "text", R"(
  default max_position_embeddings = 4096
  norm = "layernorm"
  qkv_bias = use_qkv_bias ?? false
  parallel = use_parallel_residual ?? false
  norms = parallel ? 1 : 2
  check norm = qk_layernorm ?? false ? refuse(qk_layernorm, "such models are not known here") : 0)"},
    {"starcoder2", "classic", R"(
  default tie_word_embeddings = true
  default max_position_embeddings = 4096
  ffn = intermediate_size
  biases = use_bias ?? true
  let window = sliding_window ?? 0
  let window_here = window)"},
    // Step-3.5 and later.
    {"step3p7", "glm4_moe", R"(
  let near = layer_types[i] == "sliding_attention"
  layer.window = near ? window : 0
  layer.heads = near ? first(num_sliding_attention_heads, attention_other_setting.num_attention_heads, 0) : 0
  query_norm = "head"
  attention_gate = "head"
  experts = num_experts
  shared_ffn = first(share_expert_dim, 0)
  router_bias = use_moe_router_bias ?? true
  let window = sliding_window ?? 0)"},
    {"xlm-roberta", "roberta", ""},
    // Narrow keys and values without experts.
    {"youtu", "deepseek_v2", R"(
  default max_position_embeddings = 131072
  default tie_word_embeddings = true
  experts, top_k, expert_ffn, shared_ffn, router_groups, top_groups = 0
  router_bias, layer.dense = false)"}};

/// A file that is self-contained: its names do not refer to a class, and the only defaults are those of most models.
inline constexpr family plain_family = {"plain", "text", R"(
  layers = num_hidden_layers
  hidden = hidden_size
  heads = num_attention_heads
  kv_heads = latent ? 0 : num_key_value_heads ?? 0
  head_dim = latent ? 0 : head_dim ?? 0
  gated = gated ?? true
  norm = norm ?? "rmsnorm"
  norms = norms_per_layer ?? 2
  parallel = norms == 1
  qkv_bias = qkv_bias ?? false
  output_bias = o_bias ?? false
  ffn_bias = mlp_bias ?? false
  dropout = dropout ?? false
  sinks = attention_sinks ?? false
  query_norm = qk_norm ?? false ? "head" : "none"
  positions = learned_positions ?? 0
  mtp_layers = num_nextn_predict_layers ?? 0
  sequence = first(max_position_embeddings, learned_positions, 4096)
  latent = kv_lora_rank != nothing
  latent.query_rank = q_lora_rank ?? 0
  latent.kv_rank = kv_lora_rank
  latent.plain_dim = qk_nope_head_dim
  latent.rotary_dim = qk_rope_head_dim ?? 0
  latent.value_dim = v_head_dim
  let window = sliding_window ?? 0
  let period = sliding_window_pattern ?? 0
  let window_here = period == 0 or (i + 1) % period != 0 ? window : 0
  experts = num_experts ?? 0
  top_k = experts > 0 ? num_experts_per_tok : 0
  expert_ffn = experts > 0 ? moe_intermediate_size ?? 0 : 0
  shared_ffn = experts > 0 ? shared_intermediate_size ?? 0 : 0
  shared_gate = experts > 0 and shared_gate ?? false
  router_bias = experts > 0 and router_bias ?? false
  let groups = experts > 0 ? n_group ?? 0 : 0
  router_groups = groups < 2 ? 0 : groups
  top_groups = experts > 0 and topk_group ?? 0 > 0 and groups >= 2 ? topk_group : 0
  layer.dense = experts > 0 and i < first_k_dense ?? 0)"};

/// Vision towers: classes `XVisionModel`.
inline constexpr family tower_families[] = {
    // A class token, learned positions, a norm before the layers and one after them.
    {"clip_vision_model", "tower", R"(
  nested num_hidden_layers = 12, hidden_size = 768, num_attention_heads = 12, intermediate_size = 3072
  default image_size = 224
  default patch_size = 32
  positions = patches + 1
  extra_tokens = 1
  extra_norms = 2)"},
    // Learned positions for each side; queries and keys are normalized. Squares of patches are averaged.
    {"gemma4_vision", "tower", R"(
  nested num_hidden_layers = 16, hidden_size = 768, num_attention_heads = 12, intermediate_size = 3072
  default patch_size = 16
  default pooling_kernel_size = 3
  default position_embedding_size = 10240
  gated = true
  biases = false
  norm = "rmsnorm"
  norms = 4
  query_norm = "head"
  inputs = 3 * patch_size * patch_size
  positions = 2 * position_embedding_size
  merged = pooling_kernel_size * pooling_kernel_size
  patches = (default_output_length ?? 280) * merged
  projector_merges = false
  projector_bias = false)"},
    // A class token, learned positions, scales of both parts.
    {"internvl_vision", "tower", R"(
  nested num_hidden_layers = 24, hidden_size = 1024, num_attention_heads = 16, intermediate_size = 4096
  let image_side = one(image_size ?? 448)
  let patch_side = one(patch_size ?? 14)
  let raw_patches = floor(image_side / patch_side) * floor(image_side / patch_side)
  inputs = 3 * patch_side * patch_side
  check patch = 0
  let rms = norm_type ?? "layer_norm" == "rms_norm"
  norm = rms ? "rmsnorm" : "layernorm"
  norms = rms ? 4 : 3
  query_norm = first(use_qk_norm, qk_normalization, false) ? "token" : "none"
  input_bias = true
  positions = raw_patches + 1
  extra_tokens = 1)"},
    // MoonViT: learned positions of 64 x 64 patches, a norm after the layers. An image of 448 pixels is assumed.
    {"kimi_vision", "tower", R"(
  default patch_size = 14
  layers = vt_num_hidden_layers
  hidden = vt_hidden_size
  heads = vt_num_attention_heads
  ffn = vt_intermediate_size
  input_bias = true
  inputs = 3 * patch_size * patch_size
  positions = (init_pos_emb_height ?? 64) * (init_pos_emb_width ?? 64)
  extra_norms = 1
  let raw_patches = floor(448 / patch_size) * floor(448 / patch_size)
  merged = merge_kernel_size == nothing ? 4 : merge_kernel_size[0] * merge_kernel_size[1]
  patches = max(merged, floor(raw_patches / merged) * merged)
  projector = [hidden * merged]
  projector_norm = hidden
  check kind = mm_projector_type == nothing or mm_projector_type == "patchmerger" ? 0
      : refuse(mm_projector_type, "such models are not known here"))"},
    // A class token, learned positions in addition to rotary ones; concatenated patches go through two matrices in the tower
    // and one after it.
    {"llama4_vision_model", "tower", R"(
  nested num_hidden_layers = 34, hidden_size = 768, num_attention_heads = 16, intermediate_size = 5632
  default image_size = 448
  default patch_size = 14
  default pixel_shuffle_ratio = 0.5
  let side = floor(1 / pixel_shuffle_ratio + 0.5)
  check side = side > 0 and side < 100 and side * pixel_shuffle_ratio == 1 ? 0
      : refuse(pixel_shuffle_ratio, pixel_shuffle_ratio, " is no 1, 1/2, 1/3 ...")
  positions = raw_patches + 1
  extra_tokens = 1
  extra_norms = 2
  merged = side * side
  patches = max(merged, floor(raw_patches / merged) * merged)
  projector = [projector_input_dim ?? 4096, projector_output_dim ?? 4096]
  projector_bias = multi_modal_projector_bias ?? false)"},
    // Rotary positions; each patch is projected, then joined ones are again.
    {"minimax_m3_vision", "tower", R"(
  default image_size = 2016
  default patch_size = 14
  let side = img_token_compression_config.spatial_merge_size ?? 2
  inputs = 3 * patch_size * patch_size * (img_token_compression_config.temporal_patch_size ?? 2)
  extra_norms = 1
  merged = side * side
  patches = max(merged, floor(floor(448 / patch_size) * floor(448 / patch_size) / merged) * merged)
  projector_merges = false)"},
    // Rotary, gated, without biases, a norm before the layers. The image has the largest possible size.
    {"pixtral", "tower", R"(
  nested num_hidden_layers = 24, hidden_size = 1024, num_attention_heads = 16, intermediate_size = 4096
  default image_size = 1024
  default patch_size = 16
  gated = true
  biases = false
  norm = "rmsnorm"
  extra_norms = 1)"},
    // Gated, norms with only a scale; all layers except the listed ones use windows, whose side is in pixels.
    {"qwen2_5_vl_vision", "qwen_tower", R"(
  nested depth = 32, hidden_size = 3584, num_heads = 16, intermediate_size = 3420
  gated = true
  norm = "rmsnorm"
  let window_side = floor((window_size ?? 112) / patch_size)
  window = window_side * window_side
  full_layers = fullatt_block_indexes == nothing ? range(7, 8, min(layers, 32)) : sorted(fullatt_block_indexes)
  check full = layers == nothing ? 0 : listed(fullatt_block_indexes ?? [], 0, layers)
  check width = out_hidden_size == nothing or out_hidden_size == text.hidden ? 0
      : refuse(out_hidden_size, out_hidden_size, ' is not "hidden_size" of the text, ', text.hidden))"},
    // Its width is called `embed_dim`; `hidden_size` is the text's.
    {"qwen2_vl_vision", "qwen_tower", R"(
  nested depth = 32, num_heads = 16
  default embed_dim = 1280
  default mlp_ratio = 4
  hidden = embed_dim
  ffn = floor(hidden * mlp_ratio)
  check ratio = mlp_ratio > 0 and mlp_ratio <= 1000 ? 0
      : refuse(mlp_ratio, mlp_ratio, " is not above 0 and at most 1000")
  check width = hidden_size == nothing or hidden_size == text.hidden ? 0
      : refuse(hidden_size, hidden_size, ' is not "hidden_size" of the text, ', text.hidden))"},
    // Learned positions besides rotary ones; from some layers further projectors lead to layers of the text.
    {"qwen3_vl_vision", "qwen_tower", R"(
  nested depth = 27, hidden_size = 1152, num_heads = 16, intermediate_size = 4304
  default patch_size = 16
  input_bias = true
  positions = num_position_embeddings ?? 2304
  deepstack = len(deepstack_visual_indexes ?? []))"},
    // Learned positions, a norm after the layers, no head.
    {"siglip_vision_model", "tower", R"(
  nested num_hidden_layers = 12, hidden_size = 768, num_attention_heads = 12, intermediate_size = 3072
  default image_size = 224
  default patch_size = 16
  input_bias = true
  positions = patches
  extra_norms = 1)"}};

/// Models of several parts: classes `XForConditionalGeneration`. `text_object` and `tower_object` are their objects in the
/// file, `text_family` and `tower_family` how these are read; `text.` and `tower.` stand before figures of what was read.
inline constexpr family pair_families[] = {
    // SigLIP's tower; patches are averaged to the required number of tokens, then scaled by a norm and multiplied by one
    // matrix.
    {"gemma3", "pair", R"(
  let text_family = "gemma3_text"
  let tower_family = "siglip_vision_model"
  let tokens = mm_tokens_per_image ?? 256
  check tokens = tokens > 0 and tower.patches % tokens == 0 ? 0
      : refuse(config, tower.patches, ' patches of an image are no multiple of "mm_tokens_per_image" ', tokens)
  vision.merged = tower.patches / tokens
  vision.projector_merges = false
  vision.projector_bias = false
  vision.projector_norm = tower.hidden
  vision.projector_norm_kind = "rmsnorm")"},
    {"gemma4", "pair", R"(
  let text_family = "gemma4_text"
  let tower_family = "gemma4_vision")"},
    // Concatenated patches are normalized.
    {"internvl", "pair", R"(
  let text_family = "qwen2"
  let tower_family = "internvl_vision"
  let side = 1 / (downsample_ratio ?? 0.5)
  vision.merged = side * side
  vision.patches = max(vision.merged, floor(tower.patches / vision.merged) * vision.merged)
  vision.projector = [text.hidden]
  vision.projector_norm = tower.hidden * vision.merged
  vision.projector_norm_kind = "layernorm")"},
    {"internvl_chat", "internvl", ""},
    {"kimi_k25", "pair", R"(
  let text_family = "kimi_k2"
  let tower_family = "kimi_vision")"},
    {"llama4", "pair", R"(
  let text_family = "llama4_text"
  let tower_family = "llama4_vision_model")"},
    {"llava", "pair", R"(
  let text_family = "llama"
  let tower_family = vision_config.model_type == nothing ? "clip_vision_model"
      : case(vision_config.model_type, "clip_vision_model", "clip_vision_model", "pixtral", "pixtral")
  vision.projector = [text.hidden]
  vision.projector_bias = multimodal_projector_bias ?? true)"},
    {"minimax_m3_vl", "pair", R"(
  let text_family = "minimax_m3"
  let tower_family = "minimax_m3_vision"
  vision.projector = [projector_hidden_size ?? text.hidden]
  vision.joined = [projector_hidden_size ?? text.hidden])"},
    // Pixtral's tower; a norm and a matrix merge several patches into one, then two matrices turn it into a token.
    {"mistral3", "pair", R"(
  let text_family = "mistral"
  let tower_family = "pixtral"
  let side = spatial_merge_size ?? 2
  check bias = multimodal_projector_bias ?? false
      ? refuse(multimodal_projector_bias, "such models are not known here") : 0
  vision.merged = side * side
  vision.patches = max(side * side, floor(tower.patches / (side * side)) * side * side)
  vision.projector = [tower.hidden, text.hidden]
  vision.projector_bias = false
  vision.projector_norm = tower.hidden)"},
    {"qwen2_5_vl", "pair", R"(
  let text_family = "qwen2_5_vl_text"
  let tower_family = "qwen2_5_vl_vision")"},
    {"qwen2_vl", "pair", R"(
  let text_family = "qwen2_vl_text"
  let tower_family = "qwen2_vl_vision")"},
    {"qwen3_5", "pair", R"(
  let text_family = "qwen3_5_text"
  let tower_family = "qwen3_vl_vision")"},
    {"qwen3_5_moe", "pair", R"(
  let text_family = "qwen3_5_moe_text"
  let tower_family = "qwen3_vl_vision")"},
    {"qwen3_vl", "pair", R"(
  let text_family = "qwen3_vl_text"
  let tower_family = "qwen3_vl_vision")"},
    {"qwen3_vl_moe", "pair", R"(
  let text_family = "qwen3_vl_moe_text"
  let tower_family = "qwen3_vl_vision")"}};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
