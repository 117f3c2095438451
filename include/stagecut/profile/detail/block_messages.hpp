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

inline void block_messages::add(const block& b) {
  add_tensor(b);
  add_context(b);
  if (b.all_experts != 0) add_experts(b);
}

inline void block_messages::add_gathers(double numbers, const device_group& replicas) {
  if (how_.zero != 3 || replicas.members == 1) return;
  const double bytes = numbers * z_.bytes;
  const term gather = clock_.collective("gather of parameters", bytes, replicas, 1);
  const double backward = free(to_.input, gather) + free(to_.weight, gather);
  to_.forward.push_back(hidden(gather, free(to_.forward, gather)));
  to_.input.push_back(hidden(gather, backward));
}

inline void block_messages::add_update(double numbers, const device_group& replicas, double gradient_bytes,
                                       double state_bytes) {
  const bool spread = how_.zero >= 1;
  if (replicas.members > 1) {
    const double times = spread ? 1 : 2;  // scattered; or scattered and gathered
    auto sum = clock_.collective("sum of gradients", numbers * gradient_bytes, replicas, times);
    sum = exchanged(sum, free(to_.input, sum) + free(to_.weight, sum) - behind_backward_);
    behind_backward_ += sum.beside;
    to_.update.push_back(sum);
    if (spread && how_.zero < 3) {
      auto gather = clock_.collective("gather of parameters", numbers * z_.bytes, replicas, 1);
      gather = exchanged(gather, free(to_.forward, gather) - behind_forward_);
      behind_forward_ += gather.beside;
      to_.update.push_back(gather);
    }
  }
  const double step = (2 * state_bytes + 4 + z_.bytes) * numbers / (spread ? replicas.members : 1);
  to_.update.push_back(clock_.movement("optimizer", step + 4 * numbers));
}

inline void block_messages::add_tensor(const block& b) {
  const double t = z_.tensor.members;
  if (t == 1) return;
  // One exchange where both parts share it, or where no expert is cut.
  const bool uncut = b.all_experts != 0 && how_.expert_parallel > 1 && b.shared_ffn == 0;
  const double parts = b.parallel || uncut ? 1 : 2;
  const double bytes = z_.bytes * z_.tokens * b.hidden;
  const auto messages = [&](double count) { return clock_.collective(tensor, bytes, z_.tensor, count * parts); };
  const double backward = z_.sequence_parallel ? 3 : 2;
  const double forward_work = seconds_of(to_.forward, term_kind::product);
  const double weight_work = seconds_of(to_.weight);
  const double backward_work = seconds_of(to_.input, term_kind::product) + weight_work;
  switch (how_.overlap) {
    case overlapping::none:
      to_.forward.push_back(messages(2));
      to_.input.push_back(messages(backward));
      return;
    case overlapping::bwd:
      to_.forward.push_back(messages(2));
      if (z_.sequence_parallel) to_.input.push_back(messages(1));
      to_.weight.push_back(hidden(messages(2), weight_work));
      return;
    case overlapping::ub:
      // The first piece has nothing to hide behind.
      to_.forward.push_back(hidden(messages(2), forward_work, 1 / t));
      to_.input.push_back(hidden(messages(backward), backward_work, 1 / t));
  }
}

inline void block_messages::add_context(const block& b) {
  if (z_.context.members == 1) return;
  const double steps = z_.context.members - 1;
  const double bytes = z_.bytes * z_.tokens * (b.key + b.value) * z_.context.members / steps;  // of which it has a part
  to_.forward.push_back(hidden(clock_.collective("ring of keys, values", bytes, z_.context, steps),
                               seconds_of(to_.forward, term_kind::attention)));
  to_.input.push_back(hidden(clock_.collective("ring of keys, values", bytes, z_.context, 2 * steps),
                             seconds_of(to_.input, term_kind::attention)));
}

inline void block_messages::add_experts(const block& b) {
  if (z_.experts.members == 1) return;
  const double bytes = z_.bytes * z_.tokens / z_.tensor.members * b.visits * b.hidden;
  to_.forward.push_back(clock_.exchange("tokens to and from experts", bytes, z_.experts, 2));
  to_.input.push_back(clock_.exchange("tokens to and from experts", bytes, z_.experts, 2));
}

inline double block_messages::free(const std::vector<term>& pass, const term& message) {
  double made = 0;
  for (const term& each : pass) {
    if (each.kind != term_kind::message) {
      made += each.seconds - each.waiting;
    } else if (each.far == message.far) {
      made -= each.beside;
    }
  }
  return made;
}

inline term block_messages::hidden(term message, double work, double shown) {
  const double sent = message.alone * (1 - shown);
  message.beside = work < 0 ? 0 : work < sent ? work : sent;
  message.seconds = message.alone * shown + seconds_seen(sent, message.beside);
  return message;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
