// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_INSTANCE(outcome<plan>);

STAGECUT_DECL double planned_stage::kept_activations() const noexcept {
  const std::size_t count = in_flight == 0 ? 1 : in_flight;
  return memory.activations * static_cast<double>(backward_kept ? count - 1 : count) + memory.recomputed;
}

STAGECUT_DECL double planned_stage::mean_backward(std::size_t microbatches) const noexcept {
  if (!backward_kept || microbatches == 0) return backward;
  const auto m = static_cast<double>(microbatches);
  return (backward * (m - 1) + *backward_kept) / m;
}

STAGECUT_DECL bool has_virtual_stages(const plan& made) noexcept {
  return made.stages_per_rank > 1 && !made.edges.empty() && made.schedule.name.empty() && made.schedule.orders.empty() &&
         made.objective.name == "bottleneck";
}

STAGECUT_DECL std::vector<std::size_t> layers_of(const plan& made, std::size_t stage) {
  std::vector<std::size_t> result;
  if (made.assignment.empty()) {
    for (std::size_t i = made.cuts.stage(stage).first; i < made.cuts.stage(stage).last; ++i) result.push_back(i);
  }
  for (std::size_t i = 0; i < made.assignment.size(); ++i) {
    if (made.assignment[i] == stage) result.push_back(i);
  }
  return result;
}

namespace detail {

STAGECUT_DECL bool are_counts_right(const plan& made) noexcept {
  const std::size_t stages = made.stages.size();
  if (made.stages_per_rank == 0 || made.devices == 0) return false;
  if (has_virtual_stages(made)) {
    return made.devices <= stages && made.stages_per_rank <= stages && (stages - 1) / made.stages_per_rank < made.devices;
  }
  return stages % made.stages_per_rank == 0 && stages / made.stages_per_rank == made.devices;
}

STAGECUT_DECL bool are_intervals(const std::vector<std::size_t>& stages) noexcept {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::size_t before = i == 0 ? 0 : stages[i - 1];
    if (stages[i] != before && (i == 0 || stages[i] != before + 1)) return false;
  }
  return true;
}

}  // namespace detail

STAGECUT_DECL void assign_stages(plan& made, std::vector<std::size_t> stages) {
  const bool intervals = detail::are_intervals(stages);
  made.cuts = intervals ? cuts::from_assignment(stages) : cuts();
  made.assignment = intervals ? std::vector<std::size_t>() : std::move(stages);
}

STAGECUT_DECL interval devices_of(const plan& made, std::size_t stage) {
  std::vector<std::size_t> count(made.devices);
  for (const planned_stage& each : made.stages) count[each.device] = each.replicas * each.tensor_parallel;
  interval result;
  for (std::size_t d = 0; d < made.stages[stage].device; ++d) result.first += count[d];
  result.last = result.first + count[made.stages[stage].device];
  return result;
}

STAGECUT_DECL const layer_variant* find_variant(const std::vector<layer_variant>& variants,
                                                const std::string& name) noexcept {
  for (const layer_variant& variant : variants) {
    if (variant.name == name) return &variant;
  }
  return nullptr;
}

STAGECUT_DECL double output_of(const plan& made, std::size_t i) noexcept {
  const layer& each = made.profile.layers[i];
  if (i >= made.choices.size()) return each.output;
  const layer_choice& choice = made.choices[i];
  const layer_variant* found = nullptr;
  if (!choice.sharding.empty()) found = find_variant(each.shardings, choice.sharding);
  if (found == nullptr && !choice.recomputation.empty()) {
    found = find_variant(each.recomputations, choice.recomputation);
  }
  return found == nullptr ? each.output : found->output;
}

}  // namespace stagecut::inline STAGECUT_ABI
