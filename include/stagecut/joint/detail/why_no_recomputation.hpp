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
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/start_options.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>

namespace stagecut::inline v0::detail {

/// Whether a plan fits at all, with so many bytes more on every rank: each layer with the choice that keeps least. Unset:
/// there are too many to tell.
[[nodiscard]] inline std::optional<bool> fits_with(const recompute_model& leanest, const recompute_request& request,
                                                   double more) {
  const std::vector<double> none(request.order.stages());
  const whole_times unit({}, {}, 0);
  std::vector<rank_rules> rules = rules_of(leanest, request, unit, false);
  for (rank_rules& each : rules) each.memory += more;
  choice_curves curves(leanest, unit, false);
  option_builder builder(curves, request.order, rules, false, request.least_layers, leanest.layers.size(), no_time);
  const option_graph graph = builder.build();
  if (!builder.complete()) return {};
  return !start_options(graph).empty();
}

/// Why no plan fits: what the memory lacks, to a whole byte; where there are too many plans, what it lacks at least.
[[nodiscard]] inline reason why_no_recomputation(const recompute_model& model, const recompute_request& request) {
  recompute_model leanest = model;
  for (layer_type& type : leanest.types) {
    std::size_t least = 0;
    for (std::size_t r = 1; r < type.choices.size(); ++r) {
      if (type.choices[r].activations < type.choices[least].activations) least = r;
    }
    type.choices = {type.choices[least]};
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
  if (!known) lacking = too_little + 1;
  reason why{reason::cause::memory};
  why.available = static_cast<std::size_t>(greatest);
  why.needed = static_cast<std::size_t>(greatest + lacking);
  why.place = joined(
      {"with least activations a rank of ", request.order.name.empty() ? "the order" : request.order.name.c_str()});
  if (known) why.remedy = joined({why.needed, " bytes a device would do"});
  return why;
}

}  // namespace stagecut::inline v0::detail
