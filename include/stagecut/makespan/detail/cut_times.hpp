// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/parts/pipeline_members.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulation.hpp>

// The times of the stages of a cut, for schedule synthesis.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a stage runs its backward pass unsplit.
[[nodiscard]] inline bool is_whole(const cut_and_schedule_request& request, std::size_t s) {
  return !request.split || (!request.whole.empty() && request.whole[s]);
}

/// The gradient of the input of an item, if the backward pass is split.
template <pipeline_model Model>
[[nodiscard]] double input_of(const Model& model, std::size_t s, std::size_t i) {
  if constexpr (has_backward_input<Model>) {
    return model.backward_input(s, i);
  } else if constexpr (split_pipeline_model<Model>) {
    return model.backward(s, i) - model.backward_weight(s, i);
  } else {
    return model.backward(s, i);
  }
}

/// Makes I and W together no longer than B, which may run in their place: for bounds, see `least_problem`.
template <class Passes>
void bound_together(Passes& of, double whole) {
  of.input = std::min(of.input, whole);
  of.weight = std::min(of.weight, whole - of.input);
}

/// The times of the passes of all stages.
template <pipeline_model Model>
[[nodiscard]] pass_times<double> passes_of(const Model& model, const cuts& cut,
                                           const cut_and_schedule_request& request) {
  pass_times<double> result;
  for (std::size_t s = 0; s < cut.stages(); ++s) {
    double forward = detail::stage_forward(model, s);
    double backward = detail::stage_backward(model, s);
    double weight = detail::stage_backward_weight(model, s);
    double input = backward - weight;
    for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) {
      forward += model.forward(s, i);
      backward += model.backward(s, i);
      input += detail::input_of(model, s, i);
      if constexpr (split_pipeline_model<Model>) weight += model.backward_weight(s, i);
    }
    result.forward.push_back(forward);
    result.backward.push_back(backward);
    if (!request.split) continue;
    result.backward_input.push_back(input);
    result.backward_weight.push_back(weight);
  }
  return result;
}

/// The times of the messages at all boundaries, in both directions.
template <pipeline_model Model>
[[nodiscard]] transfer_times<double> messages_of(const Model& model, const cuts& cut,
                                                 const cut_and_schedule_request& request) {
  transfer_times<double> result;
  result.kind = request.transfers;
  const std::vector<link_speed>& links = request.links;
  for (std::size_t b = 0; !links.empty() && b + 1 < cut.stages(); ++b) {
    double bytes = 0;
    if constexpr (sending_pipeline_model<Model>) bytes = model.sent(cut[b + 1]);
    result.forward.push_back(links[links.size() == 1 ? 0 : b](bytes));
  }
  result.backward = result.forward;
  return result;
}

/// The bytes of all stages: per microbatch in flight, and fixed.
template <pipeline_model Model>
[[nodiscard]] stage_bytes stage_bytes_of(const Model& model, const cuts& cut) {
  stage_bytes result;
  if constexpr (memory_pipeline_model<Model>) {
    for (std::size_t s = 0; s < cut.stages(); ++s) {
      const double one = model.memory(s, cut[s], cut[s + 1], 1);
      const double each = model.memory(s, cut[s], cut[s + 1], 2) - one;
      result.activations.push_back(each);
      result.resident.push_back(one - each);
      if constexpr (has_recomputed<Model>) {
        if (detail::recomputes(model)) result.recomputed.push_back(model.recomputed(s, cut[s], cut[s + 1]));
      }
      if constexpr (has_recomputed_apart<Model>) {
        if (detail::recomputes(model)) result.recomputed_apart.push_back(model.recomputed_apart(s, cut[s], cut[s + 1]));
      }
    }
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
