// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Transformers that answer: forward passes alone, with keys and values of earlier tokens kept.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// Which tokens a forward pass takes.
enum class serving_phase : std::uint8_t {
  decode,  ///< one of each request of a group, behind all that came before
  prefill  ///< all of their prompts
};

/// The words for phases, in files and on the command line.
inline constexpr word<serving_phase> phase_words[] = {{"decode", serving_phase::decode},
                                                      {"prefill", serving_phase::prefill}};

/// How a transformer serves.
struct serving {
  std::size_t sequence = 0;         ///< tokens of a request that are kept, and of a prompt; 0: the architecture's
  std::size_t concurrent = 1;       ///< requests of a group, which run together
  number precision = number::bf16;  ///< of weights; keys and values have at least 2 bytes
  std::size_t tensor_parallel = 1;  ///< devices that share each layer's matrices
  std::size_t expert_parallel = 1;  ///< devices that share the experts, whole ones each

  /// Equal in every part.
  friend bool operator==(const serving&, const serving&) = default;
};

namespace detail {

/// What a serving is as a training, whose forward passes it runs.
STAGECUT_DECL training training_of(const serving& how);

/// The microbatch of a phase.
STAGECUT_DECL microbatch batch_of(const architecture& a, const training& r, const roofline& clock, serving_phase phase);

}  // namespace detail

/// The profile of a model that serves: `forward` is a pass of the phase, `backward` nothing; `parameters` and `resident`
/// are the weights, `activations` the keys and values of a group of requests, all tokens kept, `workspace` what a pass of
/// 8,192 tokens of prompts, or of one that is shorter, needs beside them; `output` is what a pass hands on. Layers that
/// guess further tokens are left out.
///
/// @param a        the model
/// @param how      how it serves
/// @param phase    of which passes the times are; bytes are the same, but for `output`
/// @param on       one of the devices that share a layer
/// @param reached  how much of it
/// @throws         stagecut::invalid_input as `profile`, and for no request
STAGECUT_DECL stagecut::profile inference_profile(const architecture& a, const serving& how = {},
                                                  serving_phase phase = serving_phase::decode, const device& on = {},
                                                  const efficiencies& reached = {});

/// The terms of the times in such a profile: those of each of its layers, in its order.
///
/// @throws  stagecut::invalid_input as `inference_profile`
STAGECUT_DECL std::vector<pass_terms> explain_inference(const architecture& a, const serving& how = {},
                                                        serving_phase phase = serving_phase::decode,
                                                        const device& on = {}, const efficiencies& reached = {});

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/transformer_inference.ipp>
#endif
