// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/rank_options.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/start_options.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/makespan/detail/why_no_cut.hpp>

namespace stagecut::inline v0::detail {

/// A model in which every layer has the one choice that keeps least.
[[nodiscard]] inline recompute_model leanest_of(recompute_model model) {
  for (layer_type& type : model.types) {
    std::size_t least = 0;
    for (std::size_t r = 1; r < type.choices.size(); ++r) {
      if (type.choices[r].activations < type.choices[least].activations) least = r;
    }
    type.choices = {type.choices[least]};
  }
  return model;
}

/// How many layers a rank can hold at most, all alike and with the one choice that they have, with so many bytes more.
/// @return  unset: not even the least number on each stage
[[nodiscard]] inline std::optional<std::size_t> most_layers(const layer_type& type, const rank_rules& rank,
                                                            std::size_t least, std::size_t layers, double more) {
  std::optional<std::size_t> most;
  std::vector<std::size_t> counts(rank.stages.size());
  const auto fits = [&] {
    double stays = 0;
    for (std::size_t v = 0; v < counts.size(); ++v) {
      const double own = rank.own_workspace[v];
      const double room = counts[v] == 0 || type.workspace < own ? own : type.workspace;
      stays += static_cast<double>(counts[v]) * type.resident + room;
    }
    for (const auto& each : rank.in_flight) {
      double held = stays;
      for (std::size_t v = 0; v < counts.size(); ++v) {
        const double kept = static_cast<double>(counts[v]) * type.choices[0].activations + rank.own_activations[v];
        held += static_cast<double>(each[v]) * kept;
      }
      if (held > rank.memory + more) return false;
    }
    return true;
  };
  // The last stage takes as many as there is room for.
  const auto choose = [&](const auto& self, std::size_t v, std::size_t used) -> void {
    for (counts[v] = least; used + counts[v] <= layers; ++counts[v]) {
      for (std::size_t u = v + 1; u < counts.size(); ++u) counts[u] = least;
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

/// Whether a plan fits at all with so many bytes more on every rank; unset: there are too many ways to tell.
[[nodiscard]] inline std::optional<bool> fits_with(const recompute_model& leanest, const recompute_request& request,
                                                   double more) {
  const whole_times unit({}, {}, 0);
  std::vector<rank_rules> rules = rules_of(leanest, request, unit, false);
  if (leanest.types.size() == 1) {
    std::size_t all = 0;
    for (const rank_rules& each : rules) {
      const auto most = most_layers(leanest.types[0], each, request.least_layers, leanest.layers.size(), more);
      if (!most) return false;
      all += *most;
    }
    return all >= leanest.layers.size();
  }
  for (rank_rules& each : rules) each.memory += more;
  choice_curves curves(leanest, unit, false);
  option_builder builder(curves, request.order, rules, false, request.least_layers, leanest.layers.size(), no_time);
  const option_graph graph = builder.build();
  if (!builder.complete()) return std::nullopt;
  return !start_options(graph).empty();
}

/// Why no plan fits: what the memory lacks, to a whole byte; where there are too many plans, what it lacks at least.
[[nodiscard]] inline reason why_no_recomputation(const recompute_model& model, const recompute_request& request) {
  recompute_model leanest = leanest_of(model);
  for (layer_type& type : leanest.types) {
    type.forward = type.choices[0].backward = type.choices[0].backward_weight = 0;  // only bytes count here
  }
  double greatest = 0;
  for (std::size_t r = 0; r < request.order.ranks(); ++r) {
    const double here = memory_of(request, r) + request.constant;
    greatest = greatest < here ? here : greatest;
  }
  double lacking = 1;
  double too_little = 0;
  std::optional<bool> fits;
  for (; lacking < 0x1p60; lacking *= 2) {
    fits = fits_with(leanest, request, lacking);
    if (!fits || *fits) break;
    too_little = lacking;
  }
  while (fits && lacking - too_little > 1) {
    const double middle = static_cast<double>(static_cast<long long>((lacking + too_little) / 2));
    fits = fits_with(leanest, request, middle);
    if (fits) (*fits ? lacking : too_little) = middle;
  }
  const bool known = fits.has_value();
  if (!known) lacking = too_little + 1;  // so much is proved
  reason why{reason::cause::memory};
  why.available = whole_number(greatest, false);
  why.needed = whole_number(greatest + lacking, false);
  why.place = "a device, with the recomputation of every layer that keeps least,";
  if (known) why.remedy = joined({why.needed, " bytes a device would do"});
  return why;
}

}  // namespace stagecut::inline v0::detail
