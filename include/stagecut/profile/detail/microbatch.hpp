// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/stored_weights.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// A microbatch as shared by the devices of a stage, and the groups that share it. In doubles, as `block`.
struct microbatch {
  double bytes = 2;                ///< of a number between operations
  double operand = 2;              ///< bytes of a kept input of a product: as converted
  double samples = 1;              ///< of the microbatch
  double sequence = 1;             ///< tokens that a token may see: those of a sample
  double tokens = 1;               ///< on the devices that share one part of the context
  double rows = 1;                 ///< tokens of one device where sequence parallelism splits them
  bool sequence_parallel = false;  ///< whether sequence parallelism is used
  overlapping overlap = overlapping::none;  ///< of the messages of tensor parallelism
  bool serving = false;            ///< whether it is inference
  stored_weights weights{};        ///< how weights are stored, in inference
  double cached_bytes = 0;         ///< of a number of keys and values, in inference
  double cached = 0;               ///< previous tokens of each sample with cached keys and values, in inference
  device_group tensor{};           ///< devices that share the matrices
  device_group context{};          ///< that share a sample
  device_group experts{};          ///< that share the experts
  device_group replicas{};         ///< with the same parameters, except experts
  device_group expert_replicas{};  ///< with the same experts

  /// The text's microbatch. Ranks are ordered as in Megatron: tensor parallelism between neighbours, then context, then
  /// data.
  microbatch(const architecture& a, const training& r, const roofline& clock);

  /// The microbatch of patches of a vision tower: each device of a context has all of them.
  [[nodiscard]] microbatch of(const vision_tower& v) const;
};

/// The numbers of devices that share the layers of a training.
inline ways ways_of(const training& r) {
  return {static_cast<double>(r.tensor_parallel), static_cast<double>(r.expert_parallel)};
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/microbatch.ipp>
#endif
