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

/// The number format of a computation. With `fp8`, matrix products use 8-bit numbers; all else is as with `bf16`.
enum class number : std::uint8_t { bf16, fp16, fp32, fp8 };
/// What the backward pass recomputes: nothing, the core of attention (Korthikanti, section 5), the whole layer.
enum class recomputing : std::uint8_t { none, selective, full };
/// What the messages among devices that share a layer overlap with.
enum class overlapping : std::uint8_t {
  none,  ///< with nothing: all of their time is exposed
  bwd,   ///< in the backward pass, with the gradient of the weights (Megatron)
  ub,    ///< with adjacent matrix products, which are cut in pieces (user buffers, asynchronous tensor parallelism)
};

/// The words for number formats, in files and on the command line.
inline constexpr named<number> precision_names[] = {
    {"bf16", number::bf16}, {"fp16", number::fp16}, {"fp32", number::fp32}, {"fp8", number::fp8}};
/// The words for recomputation.
inline constexpr named<recomputing> recomputation_names[] = {
    {"none", recomputing::none}, {"selective", recomputing::selective}, {"full", recomputing::full}};
/// The words for overlap.
inline constexpr named<overlapping> overlap_names[] = {
    {"none", overlapping::none}, {"bwd", overlapping::bwd}, {"ub", overlapping::ub}};

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
  std::optional<double> state_bytes{};     ///< per parameter; unset: Adam's, 12 (Rajbhandari, 3.1), or 8 with fp32
  bool flash = true;                       ///< attention without scores in memory (Dao)
  bool variants = false;                   ///< layers also have their figures for the other kinds of recomputation
  std::size_t context_parallel = 1;        ///< devices that share the tokens of a sample, in a ring
  std::size_t expert_parallel = 1;  ///< devices that share the experts, whole ones each; 1: tensor parallelism does
  overlapping overlap = overlapping::none;  ///< of the messages of tensor parallelism
  bool exchange_hidden = true;  ///< gradient and parameter exchange overlaps with the passes at an iteration's ends
  std::optional<double> recomputed_share{};  ///< recomputed share of the forward pass; sets the time in place of
                                             ///< `recomputation`, which still sets what is kept

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

/// Rejects an architecture and a training that are out of range or contradict each other.
/// @throws stagecut::invalid_input at `architecture.FIELD` or `training.FIELD`
STAGECUT_DECL void check(const architecture& a, const training& r);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/transformer_training.ipp>
#endif
