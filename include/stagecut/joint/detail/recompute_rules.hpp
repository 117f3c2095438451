// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/engine/order_moments.hpp>
#include <stagecut/joint/detail/rank_options.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The head on the first stage, or the tail on the last one, besides its layers.
struct first_and_last {
  double forward = 0;
  double backward = 0;
  double weight = 0;
  double resident = 0;
  double activations = 0;
  double workspace = 0;
  double peak = 0;
  double recomputed = 0;
  std::vector<std::size_t> shared{};  // indices in the model's; their bytes are in `resident`

  first_and_last(const recompute_model& model, const schedule& order, std::size_t s);

 private:
  void add(const recompute_model& model, const layer_type& end);

 public:
  /// Adds those that are not yet included.
  void share(const recompute_model& model, const std::vector<std::size_t>& with);
};

/// What the stages of a rank hold at the moments that matter.
[[nodiscard]] inline held_moments moments_of_rank(const recompute_model& model, const schedule& order,
                                                  std::size_t rank);

/// Bytes of a rank for layers, head and tail; a huge number without a limit.
[[nodiscard]] inline double memory_of(const recompute_request& request, std::size_t rank);

/// The fewest layers of every stage.
[[nodiscard]] inline std::vector<std::size_t> least_layers_of(const recompute_request& request);

/// Whether layers can be assigned without a forbidden cut, whatever the memory.
[[nodiscard]] inline bool can_be_cut(const recompute_model& model, const recompute_request& request);

/// Whether a cut separates what must be on one stage. The points before the head and after the tail separate nothing.
[[nodiscard]] inline bool parts_layers(const recompute_model& model, const cuts& of) {
  for (std::size_t s = 1; s < of.stages(); ++s) {
    for (const std::size_t cut : model.forbidden_cuts) {
      if (of[s] == cut) return true;
    }
  }
  return false;
}

/// The fewest layers of all stages together.
[[nodiscard]] inline std::size_t least_layers_in_all(const recompute_request& request);

/// Bytes that cross a cut point.
[[nodiscard]] inline double sent_at(const recompute_model& model, std::size_t cut) noexcept {
  return cut == 0 ? model.head.sent_bytes : model.types[model.layers[cut - 1]].sent_bytes;
}

/// The smallest and the largest number of bytes that cross the cut point after every stage but the last, over its
/// positions.
struct sent_bytes {
  std::vector<double> least{}, most{};

  sent_bytes(const recompute_model& model, const recompute_request& request);
};

/// Whether buffers depend on the cut points.
[[nodiscard]] inline bool buffers_differ(const recompute_model& model, const recompute_request& request);

/// How large buffers between stages are taken, if their bytes depend on the cut points.
enum class taken_buffers : unsigned char {
  largest,  ///< what fits then, fits with those of its cut
  smallest  ///< what does not fit then, does not fit at all
};

/// The rules of all ranks.
[[nodiscard]] inline std::vector<rank_rules> rules_of(const recompute_model& model, const recompute_request& request,
                                                      const whole_times& unit, bool splits,
                                                      taken_buffers buffers = taken_buffers::largest);

/// The unit of all times: of passes and messages.
[[nodiscard]] inline whole_times unit_of(const recompute_model& model, const std::vector<double>& messages,
                                         const schedule& order);

inline first_and_last::first_and_last(const recompute_model& model, const schedule& order, std::size_t s) {
  if (s == 0) add(model, model.head);
  if (s + 1 == order.stages()) add(model, model.tail);
}

inline void first_and_last::share(const recompute_model& model, const std::vector<std::size_t>& with) {
  for (const std::size_t each : with) {
    if (std::find(shared.begin(), shared.end(), each) != shared.end()) continue;
    shared.push_back(each);
    resident += model.shared[each];
  }
}

inline void first_and_last::add(const recompute_model& model, const layer_type& end) {
  share(model, end.shared);
  forward += end.forward;
  resident += end.resident;
  const recompute_choice none;
  const recompute_choice& way = end.choices.empty() ? none : end.choices[0];
  const double needs = std::max(end.workspace, way.workspace);
  workspace = std::max(workspace, needs);
  peak = std::max(peak, needs + way.recomputed_whole);
  recomputed += way.recomputed_apart;
  if (end.choices.empty()) return;
  backward += end.choices[0].backward;
  weight += end.choices[0].backward_weight;
  activations += end.choices[0].activations;
}

inline held_moments moments_of_rank(const recompute_model& model, const schedule& order, std::size_t rank) {
  bool recomputes = false;
  const auto add = [&](const layer_type& type) {
    for (const recompute_choice& each : type.choices) {
      recomputes = recomputes || each.recomputed_whole > 0 || each.recomputed_apart > 0;
    }
  };
  for (const layer_type& type : model.types) add(type);
  add(model.head);
  add(model.tail);
  if (order.slices == 1) return engine::most_held(order, rank, recomputes);
  schedule counted = order;  // layers of a sliced model are those of one slice: each slice counts
  counted.slices = 1;
  return engine::most_held(counted, rank, recomputes);
}

inline double memory_of(const recompute_request& request, std::size_t rank) {
  const double all = request.memory_limit.of(rank, 0x1p1000);
  return all - request.constant;
}

inline std::vector<std::size_t> least_layers_of(const recompute_request& request) {
  std::vector<std::size_t> least(request.schedule.stages(), request.least_layers);
  if (request.head_alone) least.front() = 0;
  if (request.tail_alone) least.back() = 0;
  return least;
}

inline bool can_be_cut(const recompute_model& model, const recompute_request& request) {
  const std::vector<std::size_t> least = least_layers_of(request);
  std::vector<bool> forbidden(model.layers.size() + 1);
  for (const std::size_t each : model.forbidden_cuts) forbidden[each] = true;
  std::size_t cut = 0;  // its first position
  for (std::size_t s = 0; s + 1 < least.size(); ++s) {
    cut += least[s];
    while (cut < forbidden.size() && forbidden[cut]) ++cut;
    if (cut >= forbidden.size()) return false;
  }
  return cut + least.back() <= model.layers.size();
}

inline std::size_t least_layers_in_all(const recompute_request& request) {
  constexpr std::size_t most = ~std::size_t{0};
  std::size_t sum = 0;
  for (const std::size_t each : least_layers_of(request)) sum = each > most - sum ? most : sum + each;
  return sum;
}

inline sent_bytes::sent_bytes(const recompute_model& model, const recompute_request& request) {
  const std::vector<std::size_t> layers = least_layers_of(request);
  std::size_t before = 0;
  std::size_t behind = least_layers_in_all(request);
  for (std::size_t s = 0; s + 1 < layers.size() && behind <= model.layers.size(); ++s) {
    before += layers[s];
    behind -= layers[s];
    bool any = false;
    least.push_back(sent_at(model, before));
    most.push_back(least.back());
    for (std::size_t cut = before; cut + behind <= model.layers.size(); ++cut) {
      if (std::find(model.forbidden_cuts.begin(), model.forbidden_cuts.end(), cut) != model.forbidden_cuts.end())
        continue;
      const double here = sent_at(model, cut);
      least.back() = any ? std::min(least.back(), here) : here;
      most.back() = any ? std::max(most.back(), here) : here;
      any = true;
    }
  }
  least.resize(layers.size() - 1);
  most.resize(layers.size() - 1);
}

inline bool buffers_differ(const recompute_model& model, const recompute_request& request) {
  const sent_bytes sent(model, request);
  return request.boundary_buffers != 0 && sent.least != sent.most;
}

inline std::vector<rank_rules> rules_of(const recompute_model& model, const recompute_request& request,
                                        const whole_times& unit, bool splits, taken_buffers buffers) {
  const schedule& order = request.schedule;
  const sent_bytes all(model, request);
  const std::vector<double>& sent = buffers == taken_buffers::largest ? all.most : all.least;
  std::vector<rank_rules> rules(order.ranks());
  for (std::size_t r = 0; r < rules.size(); ++r) {
    rules[r].moments = moments_of_rank(model, order, r);
    rules[r].memory = memory_of(request, r);
  }
  for (std::size_t s = 0; s < order.stages(); ++s) {
    rank_rules& here = rules[order.rank_of[s]];
    const first_and_last ends(model, order, s);
    here.stages.push_back(s);
    const double crossing = (s == 0 ? 0 : sent[s - 1]) + (s + 1 == order.stages() ? 0 : sent[s]);
    here.memory -= ends.resident + request.boundary_buffers * crossing;
    here.own_forward.push_back(unit.whole(ends.forward));
    const double weight = splits ? unit.whole(ends.weight) : 0;
    here.own_backward.push_back(unit.whole(ends.backward) - weight);
    here.own_weight.push_back(weight);
    here.own_activations.push_back(ends.activations);
    here.own_workspace.push_back(ends.workspace);
    here.own_peak.push_back(ends.peak);
    here.own_recomputed.push_back(ends.recomputed);
    here.own_shared.push_back(ends.shared);
  }
  return rules;
}

inline whole_times unit_of(const recompute_model& model, const std::vector<double>& messages, const schedule& order) {
  std::vector<double> times;
  std::vector<double> counts;
  double all = 0;
  const auto passes = static_cast<double>(order.microbatches * order.slices);
  const auto add = [&](const layer_type& type, double layers) {
    double slowest = 0;
    for (const recompute_choice& each : type.choices) {
      times.push_back(each.backward);
      times.push_back(each.backward_weight);
      slowest = std::max(slowest, each.backward);
    }
    times.push_back(type.forward);
    counts.resize(times.size(), layers * passes);
    all += (type.forward + slowest) * layers * passes;
  };
  std::vector<double> layers(model.types.size());
  for (const std::size_t type : model.layers) ++layers[type];
  for (std::size_t t = 0; t < layers.size(); ++t) {
    if (layers[t] > 0) add(model.types[t], layers[t]);  // a type without layers adds nothing to the sum
  }
  add(model.head, 1);
  add(model.tail, 1);
  for (const double message : messages) {
    times.push_back(message);
    counts.push_back(2 * passes);
    all += 2 * passes * message;
  }
  return whole_times(times, counts, all);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
