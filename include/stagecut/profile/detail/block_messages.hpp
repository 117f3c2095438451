// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

// What the devices of a stage send each other for a layer, and what its replicas do at the end of an iteration. The sources
// are those that transformer.hpp lists.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// Adds messages to the passes of a layer, whose other terms are there.
class block_messages {
 public:
  block_messages(const roofline& clock, const training& how, const microbatch& batch, pass_terms& into)
      : clock_(clock), how_(how), z_(batch), to_(into) {}

  /// Those of a layer without recomputation.
  void add(const block& b);

  /// With ZeRO 3, `numbers` parameters are gathered for each pass, behind it.
  void add_gathers(double numbers, const device_group& replicas);

  /// What an iteration ends with, for `numbers` parameters on this device: the sum of their gradients over the replicas; the
  /// optimizer's step, which reads and writes its state, reads the gradient and writes the parameter, and of which ZeRO
  /// leaves each replica a part; a gather of the new parameters; and reading and clearing the gradients.
  void add_update(double numbers, const device_group& replicas, double gradient_bytes, double state_bytes);

 private:
  // Shoeybi: an all-reduce for each part and pass. Korthikanti, 4.2.2: a gather before each part and a scattered sum behind
  // it, and in the backward pass the gather again, for the gradient of the weights.
  void add_tensor(const block& b);

  // Keys and values go around the ring of those that share a sample, behind attention; their gradients, too.
  void add_context(const block& b);

  // Each token goes to its experts, and what they make of it back (Lepikhin et al., GShard, 2020).
  void add_experts(const block& b);

  /// What of a pass a message may hide behind: what computes, less what messages that go the same way run beside already. A
  /// link, or a network card, carries one at a time.
  static double free(const std::vector<term>& pass, const term& message);

  /// A message behind work of so many seconds, but for a share that nothing hides.
  static term hidden(term message, double work, double shown = 0);

  /// Of replicas: behind the passes that an iteration ends or begins with, if they are run so.
  [[nodiscard]] term exchanged(const term& message, double work) const {
    return how_.exchange_hidden ? hidden(message, work) : message;
  }

  static constexpr const char* tensor = "messages of tensor parallelism";

  double behind_backward_ =
      0;                       ///< seconds of the last pass of an iteration that messages at its end run beside already
  double behind_forward_ = 0;  ///< likewise of the first pass of the next one

  const roofline& clock_;
  const training& how_;
  const microbatch& z_;
  pass_terms& to_;
};

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/block_messages.ipp>
#endif
