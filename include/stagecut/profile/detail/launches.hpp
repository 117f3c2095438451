// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// Kernels of a layer's passes that the host launches one by one.
struct launches {
  double forward = 0;   ///< of a microbatch
  double backward = 0;  ///< of a microbatch, for both gradients

  /// Further kernels.
  void add(double more_forward, double more_backward) {
    forward += more_forward;
    backward += more_backward;
  }
};

/// Counted in profiles of Megatron-Core with Transformer Engine; a count of a loop over experts is weighted by
/// `efficiencies::loop`. CUDA graphs replace them.
inline launches launches_of(const block& b, const training& how, const roofline& clock) {
  launches made;
  if (how.cuda_graphs == graphing::full) return made;
  const bool eager = how.cuda_graphs == graphing::none;
  if (b.attends && eager) made.add(b.latent != nullptr ? 22 : 14, b.latent != nullptr ? 36 : 22);
  if (b.recurrent != nullptr && eager) made.add(18, 30);
  if (!b.feeds) return made;
  if (b.all_experts == 0) {
    made.add(8, 14);
    return made;
  }
  made.add(eager ? 34 : 20, eager ? 48 : 34);
  if (how.dispatcher == dispatching::alltoall && how.expert_parallel > 1) made.add(50, 50);
  if (b.shared_ffn != 0) made.add(6, 10);
  if (how.fused_experts) return made;
  const double looped = clock.reached().loop * b.experts;
  const bool blocks = clock.cast_bytes() > 0 && how.precision != number::fp8;
  const bool tensors = how.precision == number::fp8;
  made.add(looped * (tensors ? 10 : blocks ? 4 : 2), looped * (tensors ? 16 : blocks ? 7 : 4));
  return made;
}

/// Kernels that are launched again for recomputed modules.
inline double launched_again(const block& b, const training& how, const roofline& clock, const module_set& modules) {
  if (how.cuda_graphs == graphing::full) return 0;
  const bool eager = how.cuda_graphs == graphing::none;
  double made = modules.layernorm && eager ? b.norms : 0;
  if (b.attends && eager) made += (modules.core_attn ? 1 : 0) + (modules.mla_up_proj && b.latent != nullptr ? 8 : 0);
  if (!b.feeds) return made;
  if (b.all_experts == 0) return made + (modules.mlp ? 8 : 0);
  if (!modules.moe) return made + (modules.moe_act && !how.fused_experts ? 1 : 0);
  block alone = b;
  alone.attends = false;
  alone.recurrent = nullptr;
  return made + launches_of(alone, how, clock).forward;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
