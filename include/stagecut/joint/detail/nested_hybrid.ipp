// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/nested_hybrid.hpp>

#include <cstddef>
#include <optional>
#include <utility>

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/even_hybrid.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/minimize_nested_time.hpp>
#include <stagecut/joint/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The levels of a machine as PipeDream's planner is told of them.
[[nodiscard]] inline nested_machines levels_of(const device_choices& choices, bool at_most) {
  nested_machines made;
  made.at_most = at_most;
  for (std::size_t l = 0; l < choices.machine.levels(); ++l) {
    const std::size_t inner = l == 0 ? 1 : choices.machine.span(l - 1);
    made.levels.push_back({choices.machine.span(l) / inner, choices.machine.link_of(l).bandwidth});
  }
  return made;
}

/// Its points, unless a search of them takes long.
[[nodiscard]] inline std::optional<pipeline_states> nested_points(const profile& model, std::size_t size,
                                                                  const nested_machines& machines) {
  constexpr double most_steps = 3e8;
  double steps = 0;
  for (const machine_level& each : machines.levels) {
    steps += static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size) / 6 *
             static_cast<double>(each.count) * static_cast<double>(each.count);
  }
  if (steps > most_steps) return std::nullopt;
  if (model.edges.empty()) {
    if (model.layers.size() != size) return std::nullopt;
    return states_of_chain(model);
  }
  const outcome<graph_states> all = states_of_graph(model);
  if (!all || all->states.size() != size) return std::nullopt;
  return all->states;
}

STAGECUT_DECL std::optional<hybrid_cut> nested_hybrid(const profile& model, const any_stage_options& points,
                                                      const device_choices& choices, const hybrid_request& request) {
  const bool one_each = choices.ways.size() == 1 && choices.ways[0] == 1;
  if (choices.machine.levels() < 2 || !one_each || choices.own_microbatches || request.stages) return std::nullopt;
  const nested_machines machines = levels_of(choices, request.at_most);
  std::optional<pipeline_states> states = nested_points(model, points.size(), machines);
  if (!states) return std::nullopt;
  for (double& each : states->parameters) each *= choices.gradient_bytes;
  const outcome<nested_cut> found = minimize_nested_time(*states, machines);
  if (!found) return std::nullopt;
  hybrid_cut made;
  std::size_t device = request.devices - found->devices();
  for (std::size_t s = 0; s < found->stages.size(); ++s) {
    const nested_stage& each = found->stages[s];
    const std::size_t left = found->stages.size() - s;
    stage_query query{each.first, each.last, (device + each.devices() - 1) % points.period() + 1};
    query.memory = request.memory_per_device;
    const std::size_t held = left < request.microbatches ? left : request.microbatches;
    const std::optional<stage_option> option = fastest_on(points, query, each.devices(), held);
    if (!option) return std::nullopt;
    made.stages.push_back({each.first, each.last, device, *option});
    device += each.devices();
  }
  made.cost = made.bound = found->bottleneck;
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
