// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

// Transformer architectures: the figures that their authors publish.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// How a head that multiplies by the embedding matrix shares it.
enum class tying : std::uint8_t { none, replicate, colocate };
/// A scale and a shift, or a scale alone.
enum class normalization : std::uint8_t { layernorm, rmsnorm };
/// Which queries and keys are normalized before attention: none; each head, with the same scales for all heads; all heads
/// of a token together.
enum class qk_norm : std::uint8_t { none, head, token };

/// Keys and values cached as one narrow vector per token (DeepSeek-V2, arXiv 2405.04434, section 2.1). A head's query and
/// key have `plain_dim + rotary_dim` numbers, its value `value_dim`.
struct latent_attention {
  std::size_t query_rank = 0;  ///< width of the queries' narrow vector; 0: queries are projected directly
  std::size_t kv_rank = 0;     ///< width of the narrow vector of keys and values
  std::size_t plain_dim = 0;   ///< numbers of a head without position
  std::size_t rotary_dim = 0;  ///< numbers with position; all heads share this part of the key
  std::size_t value_dim = 0;   ///< numbers of a head's value

  /// Equal in every part.
  friend bool operator==(const latent_attention&, const latent_attention&) = default;
};

/// Mixers whose memory of the tokens before is a state of fixed size.
enum class recurrent_kind : std::uint8_t {
  mamba2,             ///< Dao and Gu, Transformers are SSMs, arXiv 2405.21060, section 7
  mamba1,             ///< Gu and Dao, Mamba, arXiv 2312.00752, section 3.4; with Jamba's norms if `norm`
  gated_delta,        ///< Yang et al., Gated Delta Networks, arXiv 2412.06464, as in Qwen3-Next
  kimi_delta,         ///< Kimi Linear, arXiv 2510.26692, section 3
  lightning,          ///< MiniMax-01, arXiv 2501.08313, section 2.2
  short_convolution,  ///< gated convolution of few tokens (LFM2): no state beyond these
};

/// Their figures, the same in all layers that have one.
struct recurrent_mixer {
  std::size_t heads = 0;                         ///< of the values, at least 1
  std::size_t head_dim = 0;                      ///< numbers of a head's value
  std::size_t state = 0;                         ///< numbers of a head's key, and of its state for each of its values
  std::size_t groups = 1;                        ///< heads of a group share keys and queries
  std::size_t convolution = 4;                   ///< tokens that the convolution before it sees; 0: there is none
  recurrent_kind kind = recurrent_kind::mamba2;  ///< its form
  std::size_t rank = 0;          ///< width of narrow matrices: time step (Mamba-1), decay and gate (Kimi)
  bool bias = false;             ///< of the matrices in and out
  bool convolution_bias = true;  ///< of the convolution
  bool norm = true;              ///< whether the output is normalized, or what `kind` says

  /// Equal in every part.
  friend bool operator==(const recurrent_mixer&, const recurrent_mixer&) = default;
};

/// A small attention that chooses the tokens that each query sees (DeepSeek-V3.2, arXiv 2512.02556, section 2.1).
struct sparse_indexer {
  std::size_t heads = 0;     ///< of its queries; all share one key
  std::size_t head_dim = 0;  ///< numbers of a head, and of a cached key
  std::size_t top_k = 0;     ///< most tokens that a query sees

  /// Equal in every part.
  friend bool operator==(const sparse_indexer&, const sparse_indexer&) = default;
};

/// What mixes the tokens of a layer; `both`: attention and a recurrent mixer in parallel, whose outputs are summed
/// (Falcon-H1).
enum class mixing : std::uint8_t { attention, recurrence, none, both };

/// A learned gate on the output of attention: none; one number a head; one a number.
enum class attention_gating : std::uint8_t { none, head, element };

/// Properties in which a layer may differ from others.
struct layer_form {
  std::size_t window = 0;            ///< most tokens that a query sees; 0: all
  bool dense = false;                ///< one feed-forward part of width `ffn` instead of experts
  mixing mixer = mixing::attention;  ///< what comes before the feed-forward part
  bool mixer_only = false;           ///< there is no feed-forward part
  std::size_t heads = 0;             ///< of the queries; 0: the architecture's
  std::size_t kv_heads = 0;          ///< of keys and values; 0: the architecture's
  std::size_t head_dim = 0;          ///< 0: the architecture's
  std::size_t ffn = 0;               ///< inner width of a feed-forward part without experts; 0: the architecture's
  bool keys_are_values = false;      ///< one matrix makes both
  bool shares_indexer = false;       ///< sees the tokens that an earlier layer's indexer chose: it has none
  std::size_t compression = 0;       ///< tokens that become one key beyond the window (DeepSeek-V4); 0: none do

  /// Equal in every part.
  friend bool operator==(const layer_form&, const layer_form&) = default;
};

/// A vision tower that turns images into tokens, and a projector to the width of the text: both come before the embedding
/// in the chain.
struct vision_tower {
  std::size_t layers = 0;                         ///< at most 100,000
  std::size_t hidden = 0;                         ///< width of a patch between layers
  std::size_t heads = 0;                          ///< divides `hidden`
  std::size_t ffn = 0;                            ///< inner width of the feed-forward part
  bool gated = false;                             ///< as in `architecture`
  bool biases = true;                             ///< of all matrices in the layers
  normalization norm = normalization::layernorm;  ///< in the layers
  std::size_t inputs = 0;                         ///< numbers of a raw patch: channels, width, height, frames
  bool input_bias = false;                        ///< of the patch embedding matrix
  std::size_t positions = 0;                      ///< learned; 0: none, or rotary
  std::size_t extra_norms = 0;                    ///< before the first layer and after the last
  std::size_t extra_tokens = 0;                   ///< learned, in front of the patches: a class token
  std::size_t patches = 0;                        ///< of an image
  std::size_t images = 1;                         ///< of a sample
  std::size_t window = 0;                         ///< patches per attention window; 0: all of an image
  std::vector<std::size_t> full_layers{};         ///< layers with attention over all of an image, ascending
  std::size_t merged = 1;                         ///< patches that form one token of the text
  bool projector_merges = true;  ///< whether the projector concatenates them; false: their mean, or the tower merges
  std::vector<std::size_t> projector{};                ///< widths of the projector's inner layers; empty: one matrix
  std::vector<std::size_t> joined{};  ///< those of a second one that joins patches; empty: there is none
  bool projector_bias = true;                          ///< of its matrices
  std::size_t projector_norm = 0;                      ///< width of its norm; 0: none
  std::optional<normalization> projector_norm_kind{};  ///< kind of its norm; unset: `norm`
  std::size_t norms = 2;                               ///< of a layer: 1 to 8; a learned scale of a part counts as one
  qk_norm query_norm = qk_norm::none;                  ///< as in `architecture`
  /// Further projectors, from inner layers to layers of the text (Qwen3-VL); each has a norm of the joined patches.
  std::size_t deepstack = 0;

  /// Equal in every part.
  friend bool operator==(const vision_tower&, const vision_tower&) = default;
};

/// A transformer: a decoder with norms before each part (GPT, Llama), or an encoder with norms after them (BERT).
struct architecture {
  std::string name;                               ///< of the model
  std::string source;                             ///< publisher of the figures, and the checkpoint that contains them
  std::size_t layers = 0;                         ///< at most 100,000
  std::size_t hidden = 0;                         ///< width of a token between layers
  std::size_t heads = 0;                          ///< of the queries
  std::size_t kv_heads = 0;                       ///< of keys and values; 0: `heads`
  std::size_t head_dim = 0;                       ///< 0: `hidden / heads`
  std::size_t ffn = 0;                            ///< inner width of the feed-forward part
  bool gated = false;                             ///< the feed-forward part has a third matrix, a gate (SwiGLU)
  std::size_t experts = 0;                        ///< of a router; 0: one feed-forward part, no router
  std::size_t top_k = 0;                          ///< experts that each token visits
  std::size_t vocabulary = 0;                     ///< tensor parallelism pads it to a multiple of its degree
  std::size_t positions = 0;                      ///< learned; 0: rotary
  std::size_t token_types = 0;                    ///< learned, added to the embedding (BERT's segments)
  tying tied = tying::none;                       ///< whether the head is the embedding matrix
  normalization norm = normalization::layernorm;  ///< in and after the layers
  bool biases = true;                             ///< of all matrices in the layers but the router
  std::optional<bool> qkv_bias{};                 ///< of queries, keys, values; unset: `biases`
  bool dropout = true;                            ///< after embedding, attention scores, attention, feed-forward
  bool encoder = false;                      ///< as BERT: no final norm, but a norm after the embedding; a pooler and
                                             ///< both heads of BertForPreTraining
  std::size_t sequence = 0;                  ///< tokens of a sample, unless the training specifies them
  std::optional<bool> output_bias{};         ///< of the attention's output matrix; unset: `biases`
  std::optional<bool> ffn_bias{};            ///< of the feed-forward part; unset: `biases`
  std::optional<bool> causal{};              ///< a token sees no later one; unset: unless `encoder`
  std::size_t norms = 2;                     ///< of a layer: 1 to 8
  bool parallel = false;                     ///< attention and feed-forward part share the same input norm
  qk_norm query_norm = qk_norm::none;        ///< of queries and keys
  bool sinks = false;                        ///< a learned score per head joins the softmax
  std::optional<latent_attention> latent{};  ///< replaces heads of keys and values
  std::size_t expert_ffn = 0;                ///< inner width of an expert; 0: `ffn`
  std::size_t shared_ffn = 0;                ///< of the experts that every token visits, together; 0: none
  bool shared_gate = false;                  ///< a learned vector gates their output
  bool router_bias = false;                  ///< one number per expert
  std::vector<layer_form> forms{};           ///< of each layer; empty: all alike, without a window; layers that
                                             ///< predict further tokens may follow
  std::size_t mtp_layers = 0;                ///< after the others, each predicting one token further (DeepSeek-V3)
  bool head_bias = false;                    ///< one number per word
  std::optional<vision_tower> vision{};      ///< before the embedding
  std::optional<recurrent_mixer> recurrence{};  ///< of layers whose form has it
  std::size_t expert_hidden = 0;             ///< width of a token within experts; 0: `hidden`
  bool squared_relu = false;                 ///< the activation function is no gate but the square of a ReLU
  std::size_t router_groups = 0;             ///< of experts; a token visits those of `top_groups`; 0: one group
  std::size_t top_groups = 0;                ///< groups that a token visits (DeepSeek-V3, section 2.1.2)
  std::size_t value_dim = 0;                 ///< numbers of a head's value; 0: as many as of its key
  attention_gating attention_gate = attention_gating::none;  ///< on the heads' combined output
  std::optional<sparse_indexer> indexer{};                   ///< chooses the tokens that a query sees
  std::size_t idle_experts = 0;   ///< further choices of the router that compute nothing (LongCat)
  bool embedding_norm = false;    ///< after the embedding, of a decoder
  bool head_dense = false;        ///< a dense layer, an activation and a norm before the head (as in `encoder`)
  bool pooler = true;             ///< of an encoder: BERT's dense layer and outputs for its second task
  std::size_t query_rank = 0;     ///< width of a narrow vector before the queries; 0: there is none
  std::size_t output_rank = 0;    ///< width of each group's narrow vector behind the heads; 0: there is none
  std::size_t output_groups = 1;  ///< groups of heads with a narrow vector each
  std::size_t streams = 1;        ///< vectors of a token between layers (hyper-connections, arXiv 2409.19606)

  /// Equal in every part.
  friend bool operator==(const architecture&, const architecture&) = default;
};

/// Text tokens from the images of a sample.
[[nodiscard]] inline std::size_t tokens_of_images(const vision_tower& v) { return v.images * (v.patches / v.merged); }

/// Whether a layer of a tower attends to all of an image.
[[nodiscard]] STAGECUT_DECL bool sees_all(const vision_tower& v, std::size_t layer);

/// The form of a layer; layers that predict further tokens have the form of the last layer, if no other is given.
[[nodiscard]] STAGECUT_DECL layer_form form_of(const architecture& a, std::size_t layer);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/architecture.ipp>
#endif
