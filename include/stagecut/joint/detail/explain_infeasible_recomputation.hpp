// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/rank_options.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/start_options.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a choice never needs more than another one.
[[nodiscard]] inline bool is_as_lean(const recompute_choice& one, const recompute_choice& other) noexcept {
  return one.activations <= other.activations && one.workspace <= other.workspace &&
         one.workspace + one.recomputed_whole <= other.workspace + other.recomputed_whole &&
         one.recomputed_apart <= other.recomputed_apart;
}

/// A model in which every layer has only the choice that keeps least, and those that keep more but otherwise need less.
[[nodiscard]] inline recompute_model leanest_of(recompute_model model) {
  for (layer_type& type : model.types) {
    for (recompute_choice& each : type.choices) {
      each.workspace = std::max(each.workspace, type.workspace);
    }
    std::vector<recompute_choice> kept;
    for (std::size_t r = 0; r < type.choices.size(); ++r) {
      bool is_lean = true;
      for (std::size_t q = 0; q < type.choices.size() && is_lean; ++q) {
        is_lean = !is_as_lean(type.choices[q], type.choices[r]) ||
                  (is_as_lean(type.choices[r], type.choices[q]) && q >= r);  // ties: the first one
      }
      if (is_lean) kept.push_back(type.choices[r]);
    }
    type.choices = kept;
  }
  return model;
}

/// The most layers that fit on a rank with `more` bytes, for one type of a leanest model with one choice.
/// @return  unset: not even the fewest layers of each stage fit
[[nodiscard]] inline std::optional<std::size_t> most_layers(const recompute_model& of, const rank_rules& rank,
                                                            const std::vector<std::size_t>& least, std::size_t layers,
                                                            double more) {
  const layer_type& type = of.types[0];
  std::optional<std::size_t> most;
  std::vector<std::size_t> counts(rank.stages.size());
  if (counts.empty()) return rank.memory + more < 0 ? most : std::optional<std::size_t>(0);
  std::vector<double> shared(counts.size());  // added by the first layer that has them
  for (std::size_t v = 0; v < counts.size(); ++v) {
    for (const std::size_t each : type.shared) {
      const std::vector<std::size_t>& own = rank.own_shared[v];
      if (std::find(own.begin(), own.end(), each) == own.end()) shared[v] += of.shared[each];
    }
  }
  const auto fits = [&] {
    const recompute_choice& way = type.choices[0];
    for (const auto& moment : rank.moments) {
      double held = 0;
      for (std::size_t v = 0; v < counts.size(); ++v) {
        const auto count = static_cast<double>(counts[v]);
        held += count * type.resident + (counts[v] == 0 ? 0 : shared[v]) +
                static_cast<double>(moment[v].in_flight) * (count * way.activations + rank.own_activations[v]);
        held += counts[v] == 0 ? rank.room(v, moment[v], 0, 0, 0)
                               : rank.room(v, moment[v], way.workspace, way.workspace + way.recomputed_whole,
                                           count * way.recomputed_apart);
      }
      if (held > rank.memory + more) return false;
    }
    return true;
  };
  // The last stage takes as many as fit.
  const auto choose = [&](const auto& self, std::size_t v, std::size_t used) -> void {
    for (counts[v] = least[rank.stages[v]]; used + counts[v] <= layers; ++counts[v]) {
      for (std::size_t u = v + 1; u < counts.size(); ++u) counts[u] = least[rank.stages[u]];
      if (!fits()) return;
      const std::size_t all = used + counts[v];
      if (v + 1 < counts.size())
        self(self, v + 1, all);
      else if (!most || *most < all)
        most = all;
    }
  };
  choose(choose, 0, 0);
  return most;
}

/// Whether any plan fits with `more` bytes on every rank, if buffers are taken so; unset: too many combinations to
/// decide.
[[nodiscard]] inline std::optional<bool> fits_with(const recompute_model& leanest, const recompute_request& request,
                                                   double more, taken_buffers buffers = taken_buffers::largest) {
  const whole_times unit({}, {}, 0);
  const std::vector<std::size_t> least = least_layers_of(request);
  const bool splits = splits_backward(request.schedule);
  std::vector<rank_rules> rules = rules_of(leanest, request, unit, splits, buffers);
  if (leanest.types.size() == 1 && leanest.types[0].choices.size() == 1 && leanest.forbidden_cuts.empty()) {
    std::size_t all = 0;
    for (const rank_rules& each : rules) {
      const auto most = most_layers(leanest, each, least, leanest.layers.size(), more);
      if (!most) return false;
      all += *most;
    }
    return all >= leanest.layers.size();
  }
  for (rank_rules& each : rules) each.memory += more;
  choice_curves curves(leanest, unit, splits);
  option_builder builder(curves, request.schedule, rules, splits, least, leanest.layers.size(), no_time);
  const option_graph graph = builder.build();
  if (!builder.complete()) return std::nullopt;
  return !start_options(graph).empty();
}

/// Explains why a model has too few layers for the stages.
[[nodiscard]] inline reason why_too_few_layers(const recompute_model& model, const recompute_request& request) {
  if (least_layers_in_all(request) <= model.layers.size()) {  // layers that must stay together are the cause
    const std::size_t all = model.layers.size() + (request.head_alone ? 1 : 0) + (request.tail_alone ? 1 : 0);
    return {reason::cause::more_stages_than_layers,
            request.schedule.stages(),
            all - model.forbidden_cuts.size(),
            {},
            "layers that must share a stage count as one"};
  }
  if (request.least_layers < 2) {
    return {reason::cause::more_stages_than_layers, least_layers_in_all(request), model.layers.size()};
  }
  reason why{reason::cause::constraint};
  why.place = joined({request.schedule.stages(), " stages of at least ", request.least_layers, " layers have ",
                      least_layers_in_all(request), " at least, and there are ", model.layers.size()});
  return why;
}

/// The leanest model without times: only bytes matter.
[[nodiscard]] inline recompute_model leanest_bytes_of(const recompute_model& model) {
  recompute_model result = leanest_of(model);
  for (layer_type& type : result.types) {
    type.forward = 0;
    for (recompute_choice& each : type.choices) each.backward = each.backward_weight = 0;
  }
  return result;
}

/// Whether it is proved that no plan fits: even the smallest buffers at all ends of stages, whichever cut has them,
/// leave too little memory for the recomputations that need least.
[[nodiscard]] inline bool is_proved_infeasible(const recompute_model& model, const recompute_request& request) {
  return fits_with(leanest_bytes_of(model), request, 0, taken_buffers::smallest) == false;
}

/// Explains why no plan fits: the missing memory, to the byte; with too many plans, or if buffers depend on the cut, a
/// lower bound of it.
[[nodiscard]] inline reason explain_infeasible_recomputation(const recompute_model& model,
                                                             const recompute_request& request) {
  const recompute_model leanest = leanest_bytes_of(model);
  double greatest = 0;
  for (std::size_t r = 0; r < request.schedule.ranks(); ++r) {
    const double here = memory_of(request, r) + request.constant;
    greatest = std::max(greatest, here);
  }
  const auto lacking_with = [&](taken_buffers buffers) {
    const auto fits = [&](double more) { return fits_with(leanest, request, more, buffers); };
    return engine::least_that_fits(
        fits, 0, 1, [](double) { return 1.0; }, 59);
  };
  const bool differ = buffers_differ(model, request);
  const auto lacking = lacking_with(differ ? taken_buffers::smallest : taken_buffers::largest);
  const auto enough = differ ? lacking_with(taken_buffers::largest) : lacking;
  const bool known = lacking.fits && lacking.known;
  const bool would_do = enough.fits && enough.known;
  reason why{reason::cause::memory};
  bool alike = true;
  for (std::size_t r = 1; r < request.schedule.ranks(); ++r) {
    alike = alike && memory_of(request, r) == memory_of(request, 0);
  }
  if (!alike) {
    why.what = reason::cause::constraint;
    why.place = "the memory of devices, with the recomputation of every layer that needs least";
    const std::string more = joined({engine::floor_bytes(enough.high), " bytes more"});
    if (would_do) why.remedy = joined({more, " on every device would do"});
    return why;
  }
  why.available = engine::floor_bytes(greatest);
  const double too_little = lacking.fits || !lacking.known ? lacking.low : lacking.high;
  const double needed = greatest + (known ? lacking.high : too_little + 1);  // proved lower bound
  why.needed = engine::whole_bytes(needed);
  why.place = "a device, with the recomputation of every layer that needs least,";
  if (would_do) why.remedy = joined({engine::whole_bytes(greatest + enough.high), " bytes a device would do"});
  return why;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
