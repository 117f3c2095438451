// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/check_architecture.hpp>

// How transformers are run. The sources are those that transformer.hpp lists.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// What numbers are computed with. With `fp8` matrix products take 8-bit numbers; all else is as with `bf16`.
enum class number : std::uint8_t { bf16, fp16, fp32, fp8 };
/// What the backward pass computes again: nothing, the core of attention (Korthikanti, section 5), the whole layer.
enum class recomputing : std::uint8_t { none, selective, full };
/// What messages among the devices that share a layer overlap with.
enum class overlapping : std::uint8_t {
  none,  ///< with nothing: all of their time is seen
  bwd,   ///< in the backward pass, with the gradient of the weights (Megatron)
  ub,  ///< with the matrix products beside them, which are cut in pieces (user buffers, asynchronous tensor parallelism)
};

/// The words for numbers, in files and on the command line.
inline constexpr word<number> precision_words[] = {
    {"bf16", number::bf16}, {"fp16", number::fp16}, {"fp32", number::fp32}, {"fp8", number::fp8}};
/// Likewise, for what is computed again.
inline constexpr word<recomputing> recomputation_words[] = {
    {"none", recomputing::none}, {"selective", recomputing::selective}, {"full", recomputing::full}};
/// Likewise, for what messages overlap with.
inline constexpr word<overlapping> overlap_words[] = {
    {"none", overlapping::none}, {"bwd", overlapping::bwd}, {"ub", overlapping::ub}};

/// How a transformer is trained: what a device holds and does for one microbatch.
struct training {
  std::size_t sequence = 0;                       ///< tokens of a sample; 0: the architecture's
  std::size_t microbatch = 1;                     ///< samples
  number precision = number::bf16;                ///< of parameters and activations
  recomputing recomputation = recomputing::none;  ///< of every layer
  std::size_t tensor_parallel = 1;                ///< devices that share each layer's matrices (Shoeybi)
  std::optional<bool> sequence_parallel{};  ///< and share norms and dropouts (Korthikanti, 4.2.2); unset: if several
  std::size_t data_parallel = 1;            ///< replicas, over which ZeRO spreads what it spreads
  std::size_t zero = 0;  ///< 1: the optimizer's state, 2: gradients too, 3: parameters too (Rajbhandari)
  std::optional<double> gradient_bytes{};  ///< per parameter; unset: 2, or 4 with fp32
  std::optional<double> state_bytes{};     ///< per parameter; unset: Adam's, 12 (Rajbhandari, 3.1), or 8 with fp32
  bool flash = true;                       ///< attention without scores in memory (Dao)
  bool variants = false;                   ///< layers also hold their figures with the other ways of recomputation
  std::size_t context_parallel = 1;        ///< devices that share the tokens of a sample, in a ring
  std::size_t expert_parallel = 1;  ///< devices that share the experts, whole ones each; 1: tensor parallelism does
  overlapping overlap = overlapping::none;  ///< of the messages of tensor parallelism
  bool exchange_hidden = true;  ///< replicas exchange gradients and parameters behind the passes at an iteration's ends
  std::optional<double> recomputed_share{};  ///< of the forward pass that is computed again, in place of what
                                             ///< `recomputation` says of the time; it says what is kept

  /// Equal in every part.
  friend bool operator==(const training&, const training&) = default;
};

namespace detail {

/// The first field of a training out of its range.
inline std::optional<fault> out_of_range(const training& r) {
  constexpr std::size_t most = most_of_a_count;
  const field_range ranges[] = {{"sequence", r.sequence, 0, most, true},
                                {"microbatch", r.microbatch, 1, most, true},
                                {"tensor_parallel", r.tensor_parallel, 1, most, true},
                                {"context_parallel", r.context_parallel, 1, most, true},
                                {"expert_parallel", r.expert_parallel, 1, most, true},
                                {"data_parallel", r.data_parallel, 1, most, true},
                                {"zero", r.zero, 0, 3, true}};
  if (auto found = detail::first_out_of_range(ranges)) return found;
  struct amount {
    const char* field;
    const std::optional<double>& value;
    std::size_t most;
  };
  for (const auto& [field, value, limit] : {amount{"gradient_bytes", r.gradient_bytes, 1'000'000},
                                            {"state_bytes", r.state_bytes, 1'000'000},
                                            {"recomputed_share", r.recomputed_share, 1}}) {
    if (!value ||
        (stagecut::is_finite(*value) && !stagecut::is_negative(*value) && *value <= static_cast<double>(limit)))
      continue;
    return fault{true, field, joined({std::to_string(*value), " is not from 0 to ", limit})};
  }
  return std::nullopt;
}

/// The first two of the figures of a training and a model that do not go together, if each is within its range.
inline std::optional<fault> at_odds(const architecture& a, const training& r) {
  const std::size_t kv = a.latent ? a.heads : a.kv_heads != 0 ? a.kv_heads : a.heads;
  const std::size_t t = r.tensor_parallel;
  const std::size_t tokens = r.sequence != 0 ? r.sequence : a.sequence;
  const auto undivided = [](const char* field, std::size_t ways, const char* of, std::size_t value,
                            const char* why = "") {
    return fault{true, field, joined({at_odds_text(field, ways, "does not divide", of, value), why})};
  };
  if (a.positions != 0 && tokens > a.positions) {
    return fault{r.sequence != 0, "sequence", at_odds_text("sequence", tokens, "is above", "positions", a.positions)};
  }
  if (a.vision && tokens_of_images(*a.vision) > tokens) {
    return fault{r.sequence != 0, "sequence",
                 joined({"sequence = ", tokens, " has no room for the ", tokens_of_images(*a.vision),
                         " tokens that images become"})};
  }
  if (a.heads % t != 0) return undivided("tensor_parallel", t, "heads", a.heads);
  if (a.ffn % t != 0) return undivided("tensor_parallel", t, "ffn", a.ffn);
  if (a.vision && a.vision->heads % t != 0) return undivided("tensor_parallel", t, "vision/heads", a.vision->heads);
  if (kv % t != 0 && t % kv != 0) {
    return fault{true, "tensor_parallel",
                 at_odds_text("tensor_parallel", t, "neither divides nor is a multiple of", "kv_heads", kv)};
  }
  if (tokens % r.context_parallel != 0) return undivided("context_parallel", r.context_parallel, "sequence", tokens);
  if (r.sequence_parallel.value_or(true) && tokens / r.context_parallel % t != 0) {
    return undivided("tensor_parallel", t, "sequence", tokens / r.context_parallel, ", as sequence_parallel needs");
  }
  if (r.expert_parallel == 1) return std::nullopt;
  if (a.experts == 0) return fault{true, "expert_parallel", "is above 1, but there are no experts"};
  if (a.experts % r.expert_parallel != 0) {
    return undivided("expert_parallel", r.expert_parallel, "experts", a.experts);
  }
  const std::size_t devices = t * r.context_parallel * r.data_parallel;
  if (devices % r.expert_parallel == 0) return std::nullopt;
  return undivided("expert_parallel", r.expert_parallel, "the devices of a stage", devices,
                   ": tensor_parallel * context_parallel * data_parallel");
}

/// The first mistake in a model or in how it is trained.
inline std::optional<fault> find_fault(const architecture& a, const training& r) {
  auto found = out_of_range(a);
  if (!found) found = out_of_range(r);
  if (!found) found = at_odds(a);
  return found ? found : at_odds(a, r);
}

}  // namespace detail

/// Refuses an architecture and a training that are out of range or do not go together.
/// @throws stagecut::invalid_input at `architecture.FIELD` or `training.FIELD`
inline void check(const architecture& a, const training& r) {
  const auto fault = detail::find_fault(a, r);
  if (!fault) return;
  const char* const part = fault->training ? "training." : "architecture.";
  stagecut::detail::fail(stagecut::invalid_input(detail::joined({part, fault->field}), fault->problem));
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
