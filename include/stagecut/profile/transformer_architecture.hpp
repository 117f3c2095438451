// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>

// What transformers are profiled from. The sources are those that transformer.hpp lists.
namespace stagecut::inline v0::transformer {

/// What becomes of a head that multiplies by the embedding matrix.
enum class tying : std::uint8_t { none, replicate, colocate };
/// A scale and a shift, or a scale alone.
enum class normalization : std::uint8_t { layernorm, rmsnorm };
/// What numbers are computed with.
enum class number : std::uint8_t { bf16, fp16, fp32 };
/// What the backward pass computes again: nothing, the core of attention (Korthikanti, section 5), the whole layer.
enum class recomputing : std::uint8_t { none, selective, full };

/// A transformer: a decoder with norms before each part (GPT, Llama), or an encoder with norms behind them (BERT).
struct architecture {
  std::string name;             ///< of the model
  std::string source;           ///< who published the figures, and the checkpoint that has them
  std::size_t layers = 0;       ///< at most 100,000
  std::size_t hidden = 0;       ///< numbers of a token between layers
  std::size_t heads = 0;        ///< of the queries
  std::size_t kv_heads = 0;     ///< of keys and values; 0: as many as `heads`
  std::size_t head_dim = 0;     ///< 0: `hidden / heads`
  std::size_t ffn = 0;          ///< inner width of the feed-forward part, of one expert
  bool gated = false;           ///< the feed-forward part has a third matrix, a gate (SwiGLU)
  std::size_t experts = 0;      ///< of a router, all on each device; 0: one feed-forward part, no router
  std::size_t top_k = 0;        ///< experts that each token visits
  std::size_t vocabulary = 0;   ///< tensor parallelism pads it to a multiple of its degree
  std::size_t positions = 0;    ///< learned; 0: rotary
  std::size_t token_types = 0;  ///< learned, added to the embedding (BERT's segments)
  tying tied = tying::none;     ///< whether the head is the embedding matrix
  normalization norm = normalization::layernorm;  ///< in and behind the layers
  bool biases = true;                             ///< of all matrices in the layers but the router
  std::optional<bool> qkv_bias;                   ///< of queries, keys, values; unset: as `biases`
  bool dropout = true;                            ///< behind embedding, attention scores, attention, feed-forward
  bool encoder = false;                           ///< BERT's: no final norm, but a norm behind the embedding; a pooler
                                                  ///< and both of its heads as in BertForPreTraining
  std::size_t sequence = 0;                       ///< tokens of a sample, unless the training says otherwise
};

/// How a transformer is trained: what a device holds and does for one microbatch.
struct training {
  std::size_t sequence = 0;    ///< tokens of a sample; 0: the architecture's
  std::size_t microbatch = 1;  ///< samples
  number precision = number::bf16;                     ///< of parameters and activations
  recomputing recomputation = recomputing::none;       ///< of every layer
  std::size_t tensor_parallel = 1;        ///< devices that share each layer's matrices (Shoeybi)
  std::optional<bool> sequence_parallel;  ///< and share norms and dropouts (Korthikanti, 4.2.2); unset: if several
  std::size_t data_parallel = 1;          ///< replicas, over which ZeRO spreads what it spreads
  std::size_t zero = 0;  ///< 1: the optimizer's state, 2: gradients too, 3: parameters too (Rajbhandari)
  std::optional<double> gradient_bytes;  ///< per parameter; unset: 2, or 4 with fp32
  std::optional<double> state_bytes;     ///< per parameter; unset: Adam's, 12 (Rajbhandari, 3.1), or 8 with fp32
  bool flash = true;                     ///< attention without scores in memory (Dao)
  bool variants = false;                 ///< layers also hold their figures with the other ways of recomputation
};

/// What a device can do.
struct device {
  std::string_view name = "a100-80gb";  ///< on a command line
  double flops = 312e12;        ///< per second: the dense peak of its 16-bit matrix products
  double flops_fp32 = 19.5e12;  ///< likewise of 32 bit, without TF32, as frameworks compute unless told otherwise
  double bandwidth = 2.039e12;  ///< bytes per second to and from its memory
  double memory = 80e9;         ///< bytes; data sheets round, and the framework needs some of it
  double efficiency = 0.5;      ///< of the peak, reached by matrix products (Narayanan, table 1: 44 to 52 %)
};

/// Devices with data sheets, SXM modules all: NVIDIA A100 Tensor Core GPU (2021), NVIDIA H100 Tensor Core GPU (2023:
/// with sparsity, twice the dense peak), NVIDIA H200 Tensor Core GPU (2024).
inline constexpr std::array devices{device{}, device{.name = "a100-40gb", .bandwidth = 1.555e12, .memory = 40e9},
                                    device{"h100-80gb", 989.4e12, 66.9e12, 3.35e12, 80e9, 0.5},
                                    device{"h200-141gb", 989.4e12, 66.9e12, 4.8e12, 141e9, 0.5}};

namespace detail {

using stagecut::detail::joined;

/// A field that is wrong, of the training or of the architecture.
struct fault {
  bool training;
  std::string_view field;
  std::string problem;
};

/// The first field out of its range.
inline std::optional<fault> out_of_range(const architecture& a, const training& r) {
  // Larger counts are mistakes; the product of any that meet below is far from infinite as a double.
  constexpr std::size_t most = std::size_t{1} << 31U;
  struct range {
    std::string_view field;
    std::size_t value, least, most;
    bool training = false;
  };
  const range ranges[] = {{"layers", a.layers, 1, 100'000},
                          {"hidden", a.hidden, 1, most},
                          {"heads", a.heads, 1, most},
                          {"kv_heads", a.kv_heads, 0, most},
                          {"head_dim", a.head_dim, 0, most},
                          {"ffn", a.ffn, 1, most},
                          {"experts", a.experts, 0, most},
                          {"top_k", a.top_k, 0, most},
                          {"vocabulary", a.vocabulary, 1, most},
                          {"positions", a.positions, 0, most},
                          {"token_types", a.token_types, 0, most},
                          {"sequence", a.sequence, 1, most},
                          {"sequence", r.sequence, 0, most, true},
                          {"microbatch", r.microbatch, 1, most, true},
                          {"tensor_parallel", r.tensor_parallel, 1, most, true},
                          {"data_parallel", r.data_parallel, 1, most, true},
                          {"zero", r.zero, 0, 3, true}};
  for (const auto& [field, value, least, limit, training] : ranges) {
    if (value >= least && value <= limit) continue;
    return fault{training, field, joined({value, " is not from ", least, " to ", limit})};
  }
  for (const auto& [field, bytes] : {std::pair("gradient_bytes", r.gradient_bytes), {"state_bytes", r.state_bytes}}) {
    if (bytes && (!stagecut::is_finite(*bytes) || stagecut::is_negative(*bytes) || *bytes > 1e6)) {
      return fault{true, field, joined({std::to_string(*bytes), " is not from 0 to 1000000"})};
    }
  }
  return std::nullopt;
}

/// The first two fields that do not go together, if each is within its range.
inline std::optional<fault> at_odds(const architecture& a, const training& r) {
  const auto say = [](std::string_view x, std::size_t value, std::string_view is, std::string_view y,
                      std::size_t other) {
    return joined({x, " = ", value, " ", is, " ", y, " = ", other});
  };
  const auto divides = [&](std::size_t t, std::string_view field, std::size_t value) {
    return std::pair(value % t == 0, say("tensor_parallel", t, "does not divide", field, value));
  };
  const std::size_t kv = a.kv_heads != 0 ? a.kv_heads : a.heads;
  const std::size_t t = r.tensor_parallel;
  const std::size_t tokens = r.sequence != 0 ? r.sequence : a.sequence;
  if (a.head_dim == 0 && a.hidden % a.heads != 0) {
    return fault{false, "heads",
                 joined({say("heads", a.heads, "does not divide", "hidden", a.hidden), ", and no head_dim"})};
  }
  if (a.heads % kv != 0) return fault{false, "kv_heads", say("kv_heads", kv, "does not divide", "heads", a.heads)};
  if (a.top_k > a.experts) return fault{false, "top_k", say("top_k", a.top_k, "is above", "experts", a.experts)};
  if (a.experts != 0 && a.top_k == 0) return fault{false, "top_k", "0, but there are experts"};
  if (a.positions != 0 && tokens > a.positions) {
    return fault{r.sequence != 0, "sequence", say("sequence", tokens, "is above", "positions", a.positions)};
  }
  for (const auto& [good, problem] : {divides(t, "heads", a.heads), divides(t, "ffn", a.ffn)}) {
    if (!good) return fault{true, "tensor_parallel", problem};
  }
  if (kv % t != 0 && t % kv != 0) {
    return fault{true, "tensor_parallel",
                 say("tensor_parallel", t, "neither divides nor is a multiple of", "kv_heads", kv)};
  }
  if (r.sequence_parallel.value_or(true) && tokens % t != 0) {
    return fault{true, "tensor_parallel",
                 joined({divides(t, "sequence", tokens).second, ", as sequence_parallel needs"})};
  }
  return std::nullopt;
}

/// The first mistake.
inline std::optional<fault> find_fault(const architecture& a, const training& r) {
  auto found = out_of_range(a, r);
  return found ? found : at_odds(a, r);
}

}  // namespace detail

/// Refuses an architecture and a training that are out of range or do not go together.
/// @throws stagecut::invalid_input at `architecture.FIELD` or `training.FIELD`
inline void check(const architecture& a, const training& r = {}) {
  const auto fault = detail::find_fault(a, r);
  if (!fault) return;
  const std::string_view part = fault->training ? "training." : "architecture.";
  stagecut::detail::fail(stagecut::invalid_input(detail::joined({part, fault->field}), fault->problem));
}

/// Refuses a device that computes nothing.
/// @throws stagecut::invalid_input at `device.FIELD`
inline void check(const device& on) {
  const std::pair<std::string_view, double> figures[] = {
      {"flops", on.flops}, {"flops_fp32", on.flops_fp32}, {"bandwidth", on.bandwidth}, {"memory", on.memory}};
  const auto refuse = [](std::string_view field, double value, std::string_view problem) {
    stagecut::detail::fail(stagecut::invalid_input(detail::joined({"device.", field}),
                                                   detail::joined({std::to_string(value), " ", problem})));
  };
  for (const auto& [field, value] : figures) {
    if (!stagecut::is_finite(value) || !(value > 0)) refuse(field, value, "is not above 0");
  }
  if (!stagecut::is_finite(on.efficiency) || !(on.efficiency > 0) || on.efficiency > 1) {
    refuse("efficiency", on.efficiency, "is not above 0 and at most 1");
  }
}

}  // namespace stagecut::inline v0::transformer
