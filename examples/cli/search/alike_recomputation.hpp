// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/plan_recomputation.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// Plans with the same recomputation for all layers that may be recomputed.

/// The form in which a layer was profiled.
inline std::string own_recomputation(const stagecut::layer& of) {
  return of.recomputation.empty() ? std::string("none") : of.recomputation.get();
}

/// Whether all layers that may be recomputed have this form.
inline bool all_can_be(const stagecut::profile& model, const std::string& name) {
  for (const stagecut::layer& each : model.layers) {
    const bool can = own_recomputation(each) == name || stagecut::find_variant(each.recomputations, name) != nullptr;
    if (!each.recomputations.empty() && !can) return false;
  }
  return true;
}

/// The best plan of a chain that uses this form for all layers that may be recomputed, and that `request::target` can
/// express.
/// @pre all have it
inline stagecut::outcome<stagecut::plan> plan_alike(const stagecut::profile& model, stagecut::plan_request request,
                                                    const std::string& name) {
  std::vector<stagecut::layer_choice> choices(model.layers.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const stagecut::layer& each = model.layers[i];
    if (each.recomputations.empty() || own_recomputation(each) == name) continue;
    choices[i].recomputation = name;
  }
  request.objective = stagecut::plan_objective::makespan;
  stagecut::outcome<stagecut::plan> made = stagecut::make_plan(with_choices(model, choices), request);
  if (made) {
    made->profile = model;
    made->choices = std::move(choices);
  }
  return made;
}
