// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// A microbatch as the devices of a stage share it, and the groups in which they do. In doubles, as `block`.
struct microbatch {
  double bytes = 2;                ///< of a number between operations
  double samples = 1;              ///< of the microbatch
  double sequence = 1;             ///< tokens that a token may look at: those of a sample
  double tokens = 1;               ///< on the devices that share them with one part of the context
  double rows = 1;                 ///< those of the tokens that one device has where sequence parallelism splits them
  bool sequence_parallel = false;  ///< whether it does
  bool serving = false;            ///< whether it is of inference
  double cached = 0;        ///< tokens of each sample whose keys and values are kept from before: those of inference
  device_group tensor{};    ///< devices that share the matrices
  device_group context{};   ///< that share a sample
  device_group experts{};   ///< that share the experts
  device_group replicas{};  ///< that have the same parameters, of all but experts
  device_group expert_replicas{};  ///< that have the same experts

  /// Of the text. Ranks stand as Megatron's do: tensor parallelism within neighbours, then context, then data.
  microbatch(const architecture& a, const training& r, const roofline& clock);

  /// Of the patches of a tower in front: each device of a context has all of them.
  [[nodiscard]] microbatch of(const vision_tower& v) const;
};

/// Among how many devices the layers of a training are divided.
inline ways ways_of(const training& r) {
  return {static_cast<double>(r.tensor_parallel), static_cast<double>(r.expert_parallel)};
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/microbatch.ipp>
#endif
