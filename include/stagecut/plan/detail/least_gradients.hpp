// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a schedule runs whole backward passes beside I and W, as DualPipeV does.
[[nodiscard]] inline bool mixes_backward(const schedule& order) {
  return runs(order, op_kind::backward) && runs(order, op_kind::backward_input);
}

/// The model with gradients that take, run apart, at most as long as together. Planners for the makespan know I and W
/// alone, and take both for a whole backward pass: so nothing counts for more than it takes, and what is a bound for the
/// cuts of this model is one for those of the model itself.
[[nodiscard]] inline profile least_gradients(profile model) {
  for (layer& each : model.layers) {
    if (!each.backward_input || !each.backward_weight) continue;
    double& weight = *each.backward_weight;
    double& input = *each.backward_input;
    if (weight > each.backward) weight = each.backward;
    if (input > each.backward - weight) input = each.backward - weight;
  }
  return model;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
