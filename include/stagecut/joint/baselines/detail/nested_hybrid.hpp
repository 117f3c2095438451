// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/baselines/minimize_nested_time.hpp>
#include <stagecut/joint/baselines/nested_machines.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/detail/even_hybrid.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The plan of PipeDream's published planner, its stages on consecutive devices; `cost` is its objective: see
/// `nested_machines::as_published`. None if the plan cannot run as it is (replicas, memory), or if the search would
/// take long.
///
/// @param points  the points of the options: those of the chain, or, for a graph, of `states_of_graph`
[[nodiscard]] inline std::optional<hybrid_cut> nested_hybrid(const profile& model, const any_stage_options& points,
                                                             const device_choices& choices,
                                                             const hybrid_request& request);

/// The levels of a machine for PipeDream's planner.
[[nodiscard]] inline nested_machines levels_of(const device_choices& choices, bool at_most) {
  nested_machines made;
  made.at_most = at_most;
  made.as_published = true;
  for (std::size_t l = 0; l < choices.machine.levels(); ++l) {
    const std::size_t inner = l == 0 ? 1 : choices.machine.span(l - 1);
    made.levels.push_back({choices.machine.span(l) / inner, choices.machine.link_of(l).bandwidth});
  }
  return made;
}

/// Whether a search over `points` points takes long.
[[nodiscard]] inline bool takes_long(std::size_t points, const nested_machines& machines) {
  constexpr double most_steps = 3e8;
  double steps = 0;
  for (const machine_level& level : machines.levels) {
    const double pairs = static_cast<double>(points) * static_cast<double>(level.count);
    steps += pairs * pairs * static_cast<double>(points) / 6;
  }
  return steps > most_steps;
}

/// The points of PipeDream's planner, and the points of the options that they correspond to.
struct nested_points {
  pipeline_states states{};
  std::vector<std::size_t> are{};
};

/// For a chain the points that the planner uses, for a graph all.
[[nodiscard]] inline std::optional<nested_points> nested_points_of(const profile& model, std::size_t size) {
  nested_points made;
  const bool chain = model.edges.empty();
  outcome<graph_states> found = states_of_graph(model, {.as_published = chain});
  if (!found || (chain ? model.layers.size() : found->states.size()) != size) return std::nullopt;
  const std::size_t points = found->states.size();
  for (std::size_t p = 0; p <= points; ++p) {
    std::size_t is = p;
    if (chain) {
      is = p == points ? size : 0;  // what it leaves out comes before its successor
      for (const std::size_t layer : p == 0 ? std::vector<std::size_t>() : found->layers_between(0, p)) {
        is = layer + 1 > is ? layer + 1 : is;
      }
    }
    made.are.push_back(is);
  }
  made.states = std::move(found->states);
  return made;
}

inline std::optional<hybrid_cut> nested_hybrid(const profile& model, const any_stage_options& points,
                                               const device_choices& choices, const hybrid_request& request) {
  const bool one_each = choices.tensor_parallel.size() == 1 && choices.tensor_parallel[0] == 1;
  if (choices.machine.levels() == 0 || !one_each || choices.own_microbatches || request.stages) return std::nullopt;
  const nested_machines machines = levels_of(choices, request.at_most);
  if (takes_long(points.size(), machines)) return std::nullopt;
  std::optional<nested_points> of = nested_points_of(model, points.size());
  if (!of) return std::nullopt;
  for (double& each : of->states.parameters) each *= choices.gradient_bytes;
  const outcome<nested_cut> found = minimize_nested_time(of->states, machines);
  if (!found) return std::nullopt;
  hybrid_cut made;
  std::size_t device = request.devices - found->devices();
  for (std::size_t s = 0; s < found->stages.size(); ++s) {
    const nested_stage& each = found->stages[s];
    const std::size_t left = found->stages.size() - s;
    stage_query query{of->are[each.first], of->are[each.last], (device + each.devices() - 1) % points.period() + 1};
    query.memory = request.memory_limit.for_all();
    const std::size_t held = left < request.microbatches ? left : request.microbatches;
    const std::optional<stage_option> option = fastest_on(points, query, each.devices(), held);
    if (!option) return std::nullopt;
    made.stages.push_back({query.first, query.last, device, *option});
    device += each.devices();
  }
  made.value = made.bound = found->value;
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
