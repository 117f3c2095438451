// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/profile.hpp>

#include <array>
#include <string>
#include <string_view>

// Analytic profiles: from the published figures of an architecture to the time and memory of every layer.
namespace transformer {

/// The figures of a decoder-only transformer.
struct architecture {
  std::string_view name;
  double layers;
  double hidden;
  double heads;
  double kv_heads;
  double feed_forward;
  bool gated;  ///< SwiGLU: three matrices in the feed-forward part, no biases, RMS norms; else two, biases, layer norms
  double vocabulary;
  double positions;  ///< learned position embeddings; 0 for rotary ones
  double sequence;   ///< tokens of one microbatch of one sequence
  bool tied;         ///< the head multiplies by the embedding matrix
};

/// Radford et al., Language Models are Unsupervised Multitask Learners, 2019: 1,557,611,200 parameters as released.
inline constexpr architecture gpt2_xl{"gpt2-xl", 48, 1600, 25, 25, 6400, false, 50257, 1024, 1024, true};
/// Touvron et al., Llama 2, arXiv 2307.09288, 2023: 6,738,415,616 parameters as released.
inline constexpr architecture llama_2_7b{"llama-2-7b", 32, 4096, 32, 32, 11008, true, 32000, 0, 4096, false};

inline constexpr std::array architectures{gpt2_xl, llama_2_7b};

/// What a device can do.
struct device {
  double flops = 312e12;    ///< per second: the dense bf16 peak of an A100 (NVIDIA A100 data sheet)
  double efficiency = 0.5;  ///< of that peak, reached by matrix products (Narayanan et al., SC 2021, report 44 to 52 %)
  double bandwidth = 2.0e12;  ///< bytes per second to and from memory: A100 80 GB (same data sheet)
};

inline constexpr double bytes_per_number = 2;  // bf16

/// Parameters of one decoder layer.
constexpr double decoder_parameters(const architecture& a) {
  const double kv = a.hidden / a.heads * a.kv_heads;
  const double attention = 2 * a.hidden * a.hidden + 2 * a.hidden * kv;  // query and output; key and value
  const double matrices = attention + (a.gated ? 3 : 2) * a.hidden * a.feed_forward;
  if (a.gated) return matrices + 2 * a.hidden;  // two RMS norms
  const double biases = 2 * a.hidden + 2 * kv + a.feed_forward + a.hidden;
  return matrices + biases + 4 * a.hidden;  // two layer norms, scale and shift
}

/// The profile of a model trained on one sequence a microbatch.
///
/// Forward time: matrix products at 2 FLOP per weight and token, plus 4 · tokens² · hidden for the scores of attention
/// and their sum (Narayanan et al., SC 2021, appendix), at the device's efficiency; embedding and norms take the time
/// to move their data. Backward: two products for each one of the forward pass, so twice that. Activations: 34 · tokens
/// · hidden bytes a layer plus 5 · heads · tokens² for the attention scores (Korthikanti et al., 2022, equation 1),
/// those of a tied head and an embedding are what they put out.
inline stagecut::profile profile(const architecture& a, const device& on = {}) {
  const double tokens = a.sequence;
  const double boundary = tokens * a.hidden * bytes_per_number;
  const double compute = on.flops * on.efficiency;
  const auto moving = [&](double bytes) { return bytes / on.bandwidth; };
  const double norm_parameters = (a.gated ? 1 : 2) * a.hidden;

  stagecut::profile result;
  const auto add = [&](std::string name, std::string kind, double forward, double parameters, double activations,
                       double output) {
    result.layers.push_back(
        {std::move(name), std::move(kind), forward, 2 * forward, parameters * bytes_per_number, activations, output});
  };
  add("embedding", "embedding", moving(2 * boundary), (a.vocabulary + a.positions) * a.hidden, boundary, boundary);
  const double layer_flops = 2 * tokens * decoder_parameters(a) + 4 * tokens * tokens * a.hidden;
  for (int i = 0; i < static_cast<int>(a.layers); ++i) {
    add("layer." + std::to_string(i), "decoder", layer_flops / compute, decoder_parameters(a),
        34 * tokens * a.hidden + 5 * a.heads * tokens * tokens, boundary);
  }
  add("norm", "norm", moving(2 * boundary), norm_parameters, boundary, boundary);
  const double logits = tokens * a.vocabulary;
  add("head", "head", 2 * logits * a.hidden / compute, a.tied ? 0 : a.vocabulary * a.hidden, boundary,
      logits * bytes_per_number);
  return result;
}

}  // namespace transformer
