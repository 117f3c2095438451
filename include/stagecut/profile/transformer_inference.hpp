// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/stored_weights.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Transformers in inference: forward passes only, with a cache of keys and values.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// Which tokens a forward pass processes.
enum class serving_phase : std::uint8_t {
  decode,  ///< one token of each request of a group, after all previous ones
  prefill  ///< all tokens of their prompts
};

/// The words for phases, in files and on the command line.
inline constexpr named<serving_phase> phase_names[] = {{"decode", serving_phase::decode},
                                                       {"prefill", serving_phase::prefill}};

/// How a model is served.
struct serving {
  std::size_t sequence = 0;         ///< cached tokens of a request, and tokens of a prompt; 0: the architecture's
  std::size_t concurrent = 1;       ///< requests of a group, which run together
  number precision = number::bf16;  ///< of weights; keys and values have at least 2 bytes
  std::size_t tensor_parallel = 1;  ///< devices that share each layer's matrices
  std::size_t expert_parallel = 1;  ///< devices that share the experts, each with whole ones
  stored_weights weights{};         ///< how weights are stored, if not in the precision
  double cached_bytes = 0;          ///< of a number of keys and values; 0: as the precision, at least 2

  /// Equal in every part.
  friend bool operator==(const serving&, const serving&) = default;
};

namespace detail {

/// The training with the same forward passes.
STAGECUT_DECL training training_of(const serving& how);

/// The microbatch of a phase.
STAGECUT_DECL microbatch batch_of(const architecture& a, const training& r, const roofline& clock, serving_phase phase);

}  // namespace detail

/// The profile of a model in inference: `forward` is a pass of the phase, `backward` is 0; `parameters` and `resident`
/// are the weights, `activations` the keys and values of all cached tokens of a group of requests, `workspace` the
/// further memory of a pass of 8,192 prompt tokens, or of one prompt if that is shorter; `output` is what a pass sends.
/// Omits layers that predict further tokens.
///
/// @param a        the model
/// @param how      how it is served
/// @param phase    the phase that is timed; of the bytes, only `output` depends on it
/// @param on       one of the devices that share a layer
/// @param reached  the reached share of its peaks
/// @throws         stagecut::invalid_input as `profile`, and for 0 requests
STAGECUT_DECL stagecut::profile inference_profile(const architecture& a, const serving& how = {},
                                                  serving_phase phase = serving_phase::decode, const device& on = {},
                                                  const efficiencies& reached = serving_efficiencies);

/// The terms of the times in such a profile, per layer in its order.
///
/// @throws  stagecut::invalid_input as `inference_profile`
STAGECUT_DECL std::vector<pass_terms> explain_inference(const architecture& a, const serving& how = {},
                                                        serving_phase phase = serving_phase::decode,
                                                        const device& on = {},
                                                        const efficiencies& reached = serving_efficiencies);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/transformer_inference.ipp>
#endif
