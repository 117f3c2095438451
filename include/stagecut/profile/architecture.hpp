// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

// What transformers are made of: the figures that their authors publish.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// What becomes of a head that multiplies by the embedding matrix.
enum class tying : std::uint8_t { none, replicate, colocate };
/// A scale and a shift, or a scale alone.
enum class normalization : std::uint8_t { layernorm, rmsnorm };
/// Which queries and keys are normalised before they meet: none; those of a head, all heads by the same scales; all
/// heads of a token together.
enum class qk_norm : std::uint8_t { none, head, token };

/// Keys and values that are kept as one narrow vector a token (DeepSeek-V2, arXiv 2405.04434, section 2.1). Heads then have
/// `plain_dim + rotary_dim` numbers of a query and of a key, `value_dim` of a value.
struct latent_attention {
  std::size_t query_rank = 0;  ///< width of the narrow vector of queries; 0: queries are made at once
  std::size_t kv_rank = 0;     ///< width of the narrow vector of keys and values
  std::size_t plain_dim = 0;   ///< numbers of a head without position
  std::size_t rotary_dim = 0;  ///< numbers with position; of keys one such part serves all heads
  std::size_t value_dim = 0;   ///< numbers of a head's value

  /// Equal in every part.
  friend bool operator==(const latent_attention&, const latent_attention&) = default;
};

/// What a layer may have of its own.
struct layer_form {
  std::size_t window = 0;  ///< tokens that a query sees at most; 0: all
  bool dense = false;      ///< one feed-forward part, of width `ffn`, where others have experts

  /// Equal in both parts.
  friend bool operator==(const layer_form&, const layer_form&) = default;
};

/// A tower of layers that makes tokens of images, and the projector that makes them as wide as the text's: in the chain
/// both stand before the embedding.
struct vision_tower {
  std::size_t layers = 0;                         ///< at most 100,000
  std::size_t hidden = 0;                         ///< numbers of a patch between layers
  std::size_t heads = 0;                          ///< divides `hidden`
  std::size_t ffn = 0;                            ///< inner width of the feed-forward part
  bool gated = false;                             ///< likewise as in `architecture`
  bool biases = true;                             ///< of all matrices in the layers
  normalization norm = normalization::layernorm;  ///< in the layers
  std::size_t inputs = 0;                         ///< numbers of a patch as it comes: channels, width, height, frames
  bool input_bias = false;                        ///< of the matrix that patches are multiplied by
  std::size_t positions = 0;                      ///< learned; 0: none, or rotary
  std::size_t extra_norms = 0;                    ///< before the first layer and behind the last one
  std::size_t extra_tokens = 0;                   ///< learned, put before the patches: a class token
  std::size_t patches = 0;                        ///< of an image
  std::size_t images = 1;                         ///< of a sample
  std::size_t window = 0;                         ///< patches that a layer looks at, at once; 0: all of an image
  std::vector<std::size_t> full_layers{};         ///< those that look at all of an image all the same, ascending
  std::size_t merged = 1;                         ///< patches that become one token of the text
  bool projector_merges = true;  ///< the projector takes them side by side; false: their mean, or the tower merges them
  std::vector<std::size_t> projector{};                ///< widths of the projector's inner layers; empty: one matrix
  bool projector_bias = true;                          ///< of its matrices
  std::size_t projector_norm = 0;                      ///< numbers that its norm is over; 0: it has none
  std::optional<normalization> projector_norm_kind{};  ///< of it; unset: as `norm`

  /// Equal in every part.
  friend bool operator==(const vision_tower&, const vision_tower&) = default;
};

/// A transformer: a decoder with norms before each part (GPT, Llama), or an encoder with norms behind them (BERT).
struct architecture {
  std::string name;                               ///< of the model
  std::string source;                             ///< who published the figures, and the checkpoint that has them
  std::size_t layers = 0;                         ///< at most 100,000
  std::size_t hidden = 0;                         ///< numbers of a token between layers
  std::size_t heads = 0;                          ///< of the queries
  std::size_t kv_heads = 0;                       ///< of keys and values; 0: as many as `heads`
  std::size_t head_dim = 0;                       ///< 0: `hidden / heads`
  std::size_t ffn = 0;                            ///< inner width of the feed-forward part
  bool gated = false;                             ///< the feed-forward part has a third matrix, a gate (SwiGLU)
  std::size_t experts = 0;                        ///< of a router; 0: one feed-forward part, no router
  std::size_t top_k = 0;                          ///< experts that each token visits
  std::size_t vocabulary = 0;                     ///< tensor parallelism pads it to a multiple of its degree
  std::size_t positions = 0;                      ///< learned; 0: rotary
  std::size_t token_types = 0;                    ///< learned, added to the embedding (BERT's segments)
  tying tied = tying::none;                       ///< whether the head is the embedding matrix
  normalization norm = normalization::layernorm;  ///< in and behind the layers
  bool biases = true;                             ///< of all matrices in the layers but the router
  std::optional<bool> qkv_bias{};                 ///< of queries, keys, values; unset: as `biases`
  bool dropout = true;                            ///< behind embedding, attention scores, attention, feed-forward
  bool encoder = false;                           ///< BERT's: no final norm, but a norm behind the embedding; a pooler
                                                  ///< and both of its heads as in BertForPreTraining
  std::size_t sequence = 0;                       ///< tokens of a sample, unless the training says otherwise
  std::optional<bool> output_bias{};              ///< of the matrix behind the heads; unset: as `biases`
  std::optional<bool> ffn_bias{};                 ///< of the feed-forward part; unset: as `biases`
  std::optional<bool> causal{};                   ///< a token sees none behind it; unset: unless `encoder`
  std::size_t norms = 2;                          ///< of a layer: 1 to 4
  bool parallel = false;                          ///< attention and feed-forward part start from the same norm
  qk_norm query_norm = qk_norm::none;             ///< of queries and keys
  bool sinks = false;                             ///< a learned score of each head joins the softmax
  std::optional<latent_attention> latent{};       ///< in place of heads of keys and values
  std::size_t expert_ffn = 0;                     ///< inner width of an expert; 0: `ffn`
  std::size_t shared_ffn = 0;            ///< of the experts that every token visits, together; 0: there is none
  bool shared_gate = false;              ///< a learned vector weighs what they return
  bool router_bias = false;              ///< a number for each expert
  std::vector<layer_form> forms{};       ///< of each layer; empty: all alike, without a window
  std::size_t mtp_layers = 0;            ///< behind the others, each guessing one token further (DeepSeek-V3)
  bool head_bias = false;                ///< a number for each word
  std::optional<vision_tower> vision{};  ///< in front of the embedding

  /// Equal in every part.
  friend bool operator==(const architecture&, const architecture&) = default;
};

/// Tokens of the text that the images of a sample become.
[[nodiscard]] inline std::size_t tokens_of_images(const vision_tower& v) { return v.images * (v.patches / v.merged); }

/// Whether a layer of a tower looks at all of an image.
[[nodiscard]] STAGECUT_DECL bool sees_all(const vision_tower& v, std::size_t layer);

/// The form of a layer; those behind the last one, which guess further tokens, are as that.
[[nodiscard]] STAGECUT_DECL layer_form form_of(const architecture& a, std::size_t layer);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/architecture.ipp>
#endif
