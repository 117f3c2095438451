// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Communication of a layer among the devices of a stage, and of its replicas at the end of an iteration. transformer.hpp
// lists the sources.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// Adds messages to the passes of a layer that already have the other terms.
class block_messages {
 public:
  block_messages(const roofline& clock, const training& how, const microbatch& batch, pass_terms& into)
      : clock_(clock), how_(how), z_(batch), to_(into) {}

  /// Adds the messages of a layer without recomputation.
  void add(const block& b);

  /// With ZeRO 3, `numbers` parameters are gathered for each pass, overlapping with it.
  void add_gathers(double numbers, const device_group& replicas);

  /// The end of an iteration, for `numbers` parameters on this device: the sum of their gradients over the replicas; the
  /// optimizer's step, which reads and writes its state, reads the gradient and writes the parameter, and which ZeRO
  /// partitions over the replicas; a gather of the new parameters; and reading and clearing the gradients.
  void add_update(double numbers, const device_group& replicas, double gradient_bytes, double state_bytes);

 private:
  // Shoeybi: an all-reduce for each part and pass. Korthikanti, 4.2.2: an all-gather before each part and a
  // reduce-scatter after it, and in the backward pass the all-gather again, for the gradient of the weights.
  void add_tensor(const block& b);

  // Keys and values circulate in the ring of devices that share a sample, overlapping with attention; so do their
  // gradients.
  void add_context(const block& b);

  // Each token goes to its experts, and their output back (Lepikhin et al., GShard, 2020).
  void add_experts(const block& b);

  // Such a message, in both directions. DeepEP and HybridEP send one copy to each domain, and one from there to each
  // device, that has experts of the token; their kernels move every copy themselves.
  [[nodiscard]] term dispatch(const block& b) const;

  // The probability that none of `chosen` draws without replacement from `all` is in a part of them.
  [[nodiscard]] static double missed(double all, double part, double chosen);

  // In how many ways `chosen` of `all` can be drawn.
  [[nodiscard]] static double combinations(double all, double chosen);

  // The probability that a token chooses none of the experts from `start` to `end`, if the router limits it to some groups.
  [[nodiscard]] static double missed_between(const block& b, double start, double end);

  // Of `parts` equal parts of the experts, how many a token meets on average, if it chooses among all experts or, limited
  // to some groups of the router, among those.
  [[nodiscard]] static double parts_met(const block& b, double parts);

  /// The time of a pass that can hide a message: its computation, minus the part that already hides messages over the
  /// same links. A link or network card carries one at a time.
  static double free(const std::vector<term>& pass, const term& message);

  /// A message that overlaps with `work` seconds of work, except for the share `shown`, which nothing hides.
  [[nodiscard]] term hidden(term message, double work, double shown = 0) const;

  /// Replicas' messages: overlapping with the passes at the ends of an iteration, if configured so.
  [[nodiscard]] term exchanged(const term& message, double work) const {
    return how_.exchange_hidden ? hidden(message, work) : message;
  }

  static double longer(double x, double y) { return x < y ? y : x; }

  static constexpr const char* tensor = "messages of tensor parallelism";

  double behind_backward_ = 0;  ///< seconds of an iteration's last pass that already hide messages at its end
  double behind_forward_ = 0;   ///< seconds of the next iteration's first pass that already hide messages

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
    const double times = spread ? 1 : 2;  // reduce-scatter; or reduce-scatter and all-gather
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
  // Each part has one exchange, parallel parts share it; experts that are not split have none.
  const bool uncut = b.all_experts != 0 && how_.expert_parallel > 1 && b.shared_ffn == 0;
  const double mixers = b.attends || b.recurrent != nullptr ? 1 : 0;
  const double parts = b.parallel && mixers == 1 ? 1 : mixers + (b.feeds && !uncut ? 1 : 0);
  if (parts == 0) return;
  const double bytes = z_.bytes * z_.tokens * b.hidden;
  const auto messages = [&](double count) { return clock_.collective(tensor, bytes, z_.tensor, count * parts); };
  const double backward = z_.sequence_parallel ? 3 : 2;
  const double forward_work = seconds_of(to_.forward, term_kind::product);
  const double weight_work = seconds_of(to_.weight);
  const double backward_work = seconds_of(to_.input, term_kind::product) + weight_work;
  switch (z_.overlap) {
    case overlapping::recipe:  // which `microbatch` has resolved
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
      // The first piece has no work to overlap with.
      to_.forward.push_back(hidden(messages(2), forward_work, 1 / t));
      to_.input.push_back(hidden(messages(backward), backward_work, 1 / t));
  }
}

inline void block_messages::add_context(const block& b) {
  if (z_.context.members == 1 || !b.attends) return;
  const double steps = z_.context.members - 1;
  // Each device has a part of `bytes`.
  const double bytes = z_.bytes * z_.tokens * (b.key + b.value) * z_.context.members / steps;
  to_.forward.push_back(hidden(clock_.collective("ring of keys, values", bytes, z_.context, steps),
                               seconds_of(to_.forward, term_kind::attention)));
  to_.input.push_back(hidden(clock_.collective("ring of keys, values", bytes, z_.context, 2 * steps),
                             seconds_of(to_.input, term_kind::attention)));
}

inline void block_messages::add_experts(const block& b) {
  if (z_.experts.members == 1) return;
  if (z_.serving) {
    const double bytes = z_.bytes * z_.tokens / z_.tensor.members * b.visits * b.hidden;
    to_.forward.push_back(clock_.exchange("tokens to and from experts", bytes, z_.experts, 2));
    return;
  }
  term sent = dispatch(b);
  sent.module = layer_module::moe;
  if (how_.expert_overlap) {  // all but the first microbatch's run behind the passes of another one
    const double work = (free(to_.forward, sent) + free(to_.input, sent) + free(to_.weight, sent)) / 2;
    const double first = how_.microbatches == 0 ? 0 : 1 / static_cast<double>(how_.microbatches);
    sent.beside = work < 0 ? 0 : work < sent.alone ? work : sent.alone;
    const double seen = seconds_seen(sent.alone, sent.beside, clock_.reached().dispatch_hidden);
    sent.seconds = first * sent.alone + (1 - first) * seen;
  }
  to_.forward.push_back(sent);
  to_.input.push_back(sent);
}

inline double block_messages::missed(double all, double part, double chosen) {
  double none = 1;
  for (double i = 0; i < chosen; ++i) {
    const double others = all - part - i;
    none *= others > 0 ? others / (all - i) : 0;
  }
  return none;
}

inline double block_messages::combinations(double all, double chosen) {
  double made = chosen > all ? 0 : 1;
  for (double i = 0; i < chosen && made > 0; ++i) made *= (all - i) / (i + 1);
  return made;
}

inline double block_messages::missed_between(const block& b, double start, double end) {
  const double groups = b.router_groups, top = b.top_groups, size = b.all_experts / groups;
  const double open = top * size;  // experts of the chosen groups
  // The part has a piece of the groups at its ends, and all of those between.
  const auto whole = [](double x) { return static_cast<double>(static_cast<std::size_t>(x + 1e-9)); };
  const double first = whole(start / size), last = whole(end / size);
  double pieces[2] = {first < last ? (first + 1) * size - start : end - start, first < last ? end - last * size : 0};
  double full = first < last ? last - first - 1 : 0;
  for (double& piece : pieces) {
    if (piece > size * (1 - 1e-9)) piece = 0, ++full;
    if (piece < size * 1e-9) piece = 0;
  }
  // The number of chosen groups among some of all is hypergeometric, drawn without replacement: docs/transformers.md, "Tokens to
  // experts".
  const double others = groups - full - (pieces[0] > 0 ? 1 : 0) - (pieces[1] > 0 ? 1 : 0);
  double none = 0;
  for (double i = 0; i <= (pieces[0] > 0 ? 1 : 0); ++i) {
    for (double k = 0; k <= (pieces[1] > 0 ? 1 : 0); ++k) {
      for (double j = 0; j <= full && i + k + j <= top; ++j) {
        const double ways = combinations(full, j) * combinations(others, top - i - k - j) / combinations(groups, top);
        if (ways > 0) none += ways * missed(open, j * size + i * pieces[0] + k * pieces[1], b.visits);
      }
    }
  }
  return none;
}

inline double block_messages::parts_met(const block& b, double parts) {
  const double groups = b.router_groups;
  if (groups == 0 || b.top_groups == 0 || b.top_groups >= groups)
    return parts * (1 - missed(b.all_experts, b.all_experts / parts, b.visits));
  const auto divides = [](double few, double many) {
    const auto times = static_cast<double>(static_cast<std::size_t>(many / few + 0.5));
    return times >= 1 && few * times == many;
  };
  const double part = b.all_experts / parts;
  const double alike = divides(parts, groups) || divides(groups, parts) ? parts : 1;
  double met = 0;
  for (double i = 0; i < parts; i += alike) {
    const double end = (i + 1) * part;
    met += alike * (1 - missed_between(b, i * part, end < b.all_experts ? end : b.all_experts));
  }
  return met;
}

inline term block_messages::dispatch(const block& b) const {
  const device& on = clock_.on();
  const double all = z_.experts.members;
  const double near = z_.experts.in_domain;
  const double domains = all / near;
  const double tokens = z_.tokens / z_.tensor.members;  // each device of a tensor-parallel group sends its own
  const double copies = tokens * b.visits;
  const double once = z_.bytes * tokens * b.expert_hidden;  // a copy of each token
  const bool collective = how_.dispatcher == dispatching::alltoall;
  const double link = clock_.link_rate({near, near});
  const double network = on.network * clock_.reached().network;
  const double inside = collective ? once * b.visits * (near - 1) / all : once * parts_met(b, all) * (near - 1) / near;
  const double outside =
      collective ? once * b.visits * (all - near) / all : once * parts_met(b, domains) * (domains - 1) / domains;
  const bool far = near < all;
  term made{"tokens to and from experts", term_kind::message};
  made.count = 2;
  made.members = all;
  made.far = far;
  double seconds = far ? longer(outside / network, inside / link) : inside / link;
  seconds += far ? clock_.reached().far_dispatch : clock_.reached().near_dispatch;
  made.bytes = 2 * (far ? outside : inside);
  const double moved = 2 * z_.bytes * copies * b.expert_hidden;  // each copy is read and written at either end
  const double rate = on.dispatch_sms * clock_.reached().dispatch_rate;
  if (!collective && rate > 0 && moved / rate > seconds) {
    made.name = "tokens to and from experts, moved by multiprocessors";
    seconds = moved / rate;
    made.bytes = 2 * moved;
  }
  made.alone = made.seconds = 2 * seconds;
  made.rate = made.bytes / made.alone;
  return made;
}

inline double block_messages::free(const std::vector<term>& pass, const term& message) {
  double made = 0;
  for (const term& each : pass) {
    if (each.kind != term_kind::message) {
      made += each.seconds - each.waiting;
    } else if (each.members > 0 && each.far == message.far) {  // not those to the host's memory
      made -= each.beside;
    }
  }
  return made;
}

inline term block_messages::hidden(term message, double work, double shown) const {
  const double sent = message.alone * (1 - shown);
  message.beside = work < 0 ? 0 : work < sent ? work : sent;
  message.seconds = message.alone * shown + seconds_seen(sent, message.beside, clock_.reached().hidden);
  return message;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
