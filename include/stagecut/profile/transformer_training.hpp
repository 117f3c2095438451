// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/check_architecture.hpp>

// How transformers are trained. transformer.hpp lists the sources.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// The number format of a computation. With 8 and 4 bits, matrix products of layers use these numbers; all else is as
/// with `bf16`. `fp8` has one scale per tensor, `mxfp8` and `nvfp4` have one per block of 32 and of 16 numbers (OCP
/// Microscaling Formats, 2023).
enum class number : std::uint8_t { bf16, fp16, fp32, fp8, mxfp8, nvfp4 };
/// What the backward pass recomputes: nothing, the core of attention (Korthikanti, section 5), the whole layer.
enum class recomputing : std::uint8_t { none, selective, full };
/// Parts of a layer that the backward pass recomputes one by one, by the names that Megatron's `--recompute-modules` has.
struct module_set {
  bool layernorm = false;    ///< norms before attention and feed-forward part
  bool moe_act = false;      ///< the activation function of experts
  bool mla_up_proj = false;  ///< of latent attention: from narrow vectors to heads
  bool core_attn = false;    ///< scores, softmax, weighted sum
  bool mlp = false;          ///< a dense feed-forward part
  bool moe = false;          ///< a feed-forward part of experts, with its messages

  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return *this == module_set{}; }

  /// Equal in every part.
  friend bool operator==(const module_set&, const module_set&) = default;
};
/// How tokens get to their experts and back.
enum class dispatching : std::uint8_t {
  alltoall,  ///< a collective of NCCL: one copy per expert; tokens are sorted before and after it
  deepep,    ///< kernels that send one copy per node or device (DeepEP)
  hybridep,  ///< the same, with fewer multiprocessors (HybridEP)
};
/// Which kernels of a layer are launched together, as CUDA graphs.
enum class graphing : std::uint8_t {
  none,    ///< each alone, by the host
  scoped,  ///< attention and routers as graphs
  full     ///< the whole iteration is a graph
};
/// What the messages among devices that share a layer overlap with.
enum class overlapping : std::uint8_t {
  recipe,  ///< as published recipes do: `ub` for dense models, `none` with experts or 4 bits
  none,    ///< with nothing: all of their time is exposed
  bwd,     ///< in the backward pass, with the gradient of the weights (Megatron)
  ub,      ///< with adjacent matrix products, which are cut in pieces (user buffers, asynchronous tensor parallelism)
};

/// The words for number formats, in files and on the command line.
inline constexpr named<number> precision_names[] = {{"bf16", number::bf16},   {"fp16", number::fp16},
                                                    {"fp32", number::fp32},   {"fp8", number::fp8},
                                                    {"mxfp8", number::mxfp8}, {"nvfp4", number::nvfp4}};
/// The words for recomputed modules: Megatron's.
inline constexpr named<bool module_set::*> module_names[] = {
    {"layernorm", &module_set::layernorm}, {"moe_act", &module_set::moe_act}, {"mla_up_proj", &module_set::mla_up_proj},
    {"core_attn", &module_set::core_attn}, {"mlp", &module_set::mlp},         {"moe", &module_set::moe}};
/// The words for dispatchers.
inline constexpr named<dispatching> dispatcher_names[] = {
    {"alltoall", dispatching::alltoall}, {"deepep", dispatching::deepep}, {"hybridep", dispatching::hybridep}};
/// The words for CUDA graphs.
inline constexpr named<graphing> graph_names[] = {
    {"none", graphing::none}, {"scoped", graphing::scoped}, {"full", graphing::full}};
/// The words for recomputation.
inline constexpr named<recomputing> recomputation_names[] = {
    {"none", recomputing::none}, {"selective", recomputing::selective}, {"full", recomputing::full}};
/// The words for overlap.
inline constexpr named<overlapping> overlap_names[] = {
    {"recipe", overlapping::recipe}, {"none", overlapping::none}, {"bwd", overlapping::bwd}, {"ub", overlapping::ub}};

/// How a transformer is trained: what a device holds and computes for one microbatch.
struct training {
  std::size_t sequence = 0;                       ///< tokens of a sample; 0: the architecture's
  std::size_t microbatch = 1;                     ///< samples
  number precision = number::bf16;                ///< of parameters and activations
  recomputing recomputation = recomputing::none;  ///< of every layer
  std::size_t tensor_parallel = 1;                ///< devices that share each layer's matrices (Shoeybi)
  std::optional<bool> sequence_parallel{};  ///< also share norms and dropouts (Korthikanti, 4.2.2); unset: if several
  std::size_t data_parallel = 1;            ///< replicas, over which ZeRO partitions its states
  std::size_t zero = 0;  ///< 1: the optimizer's state, 2: gradients too, 3: parameters too (Rajbhandari)
  std::optional<double> gradient_bytes{};  ///< per parameter; unset: 2, or 4 with fp32
  std::optional<double> parameter_bytes{};  ///< per parameter in memory; unset: 2, or 4 with fp32; 1: 8 bits alone
  std::optional<double> state_bytes{};     ///< per parameter; unset: Adam's, 12 (Rajbhandari, 3.1), or 8 with fp32
  bool flash = true;                       ///< attention without scores in memory (Dao)
  bool variants = false;                   ///< layers also have their figures for the other kinds of recomputation
  std::size_t context_parallel = 1;        ///< devices that share the tokens of a sample, in a ring
  std::size_t expert_parallel = 1;  ///< devices that share the experts, whole ones each; 1: tensor parallelism does
  overlapping overlap = overlapping::recipe;  ///< of the messages of tensor parallelism
  bool exchange_hidden = true;  ///< gradient and parameter exchange overlaps with the passes at an iteration's ends
  std::optional<double> recomputed_share{};  ///< recomputed share of the forward pass; sets the time in place of
                                             ///< `recomputation`, which still sets what is kept
  module_set recompute_modules{};            ///< recomputed parts, where `recomputation` is not `full`
  dispatching dispatcher = dispatching::hybridep;  ///< of tokens to experts on other devices
  bool expert_overlap = false;                     ///< messages of experts run behind the passes of other microbatches
  graphing cuda_graphs = graphing::scoped;         ///< CUDA graphs
  bool fused_experts = false;    ///< products of experts with activation function and casts in one kernel
  bool attention_fp8 = false;    ///< the core of attention uses 8-bit numbers
  bool head_fp8 = false;         ///< the head's product uses the precision of the layers
  double offload = 0;            ///< share of the kept activations that waits in the host's memory
  std::size_t microbatches = 0;  ///< of an iteration, of whose messages of experts one is exposed; 0: many

  /// Equal in every part.
  friend bool operator==(const training&, const training&) = default;
};

namespace detail {

/// The first field of a training that is out of range.
STAGECUT_DECL std::optional<fault> out_of_range(const training& r);

/// The first two figures of a training and a model that contradict each other, if each is within its range.
STAGECUT_DECL std::optional<fault> at_odds(const architecture& a, const training& r);

/// The first mistake in a model or in how it is trained.
STAGECUT_DECL std::optional<fault> find_fault(const architecture& a, const training& r);

}  // namespace detail

/// What the messages of tensor parallelism overlap with: the choice that `overlapping::recipe` stands for, or the stated one.
/// `ub` needs sequence parallelism.
[[nodiscard]] STAGECUT_DECL overlapping overlap_of(const architecture& a, const training& r) noexcept;

/// Rejects an architecture and a training that are out of range or contradict each other.
/// @throws stagecut::invalid_input at `architecture.FIELD` or `training.FIELD`
STAGECUT_DECL void check(const architecture& a, const training& r);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/transformer_training.ipp>
#endif
