// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/usual_search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <stagecut/plan/detail/row_plan.hpp>
#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/parts/request_problem.hpp>
#include <stagecut/plan/plan_combinations.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Kinds of search, which differ in the time per node.
enum class counted_search : std::uint8_t {
  cuts,            ///< of a chain, by the makespan
  schedules,       ///< of a chain, by the makespan of several schedules
  tables,          ///< of a chain, by another objective
  recomputation,   ///< of the layers of stages
  devices,         ///< several a stage
  loads,           ///< of a graph
  graph_makespan,  ///< of a graph
  placements       ///< of a graph, by the least communication
};

/// The search that plans a request.
[[nodiscard]] inline counted_search search_of(const profile& model, const plan_request& request) {
  const plan_problem problem = problem_of(model, request);
  if (problem == plan_problem::several_devices) return counted_search::devices;
  if (problem == plan_problem::recomputation) return counted_search::recomputation;
  if (problem == plan_problem::communication) return counted_search::placements;
  const bool makespan = request.objective == plan_objective::makespan ||
                        (request.objective == plan_objective::automatic && request.microbatches != 0 && !model.inference);
  const bool row = problem == plan_problem::graph && !is_for_graphs(model, request) && asks_for_row(request);
  const bool graph = problem == plan_problem::graph && !row;
  if (!graph && !makespan) return counted_search::tables;
  if (!graph) return problem == plan_problem::open_choices ? counted_search::schedules : counted_search::cuts;
  const bool by_makespan = request.objective == plan_objective::makespan || means_graph_makespan(model, request);
  return by_makespan ? counted_search::graph_makespan : counted_search::loads;
}

}  // namespace detail

STAGECUT_DECL std::size_t usual_node_limit(const profile& model, const plan_request& request) {
  using detail::counted_search;
  // A node of a pipeline with many passes takes longer: simulation time grows with them.
  const auto devices = static_cast<double>(request.devices);
  const double passes =
      devices * static_cast<double>(request.stages_per_rank) * static_cast<double>(request.microbatches);
  const auto operators = static_cast<double>(model.layers.size());
  const auto at_least = [](double least, double nodes) { return static_cast<std::size_t>(std::max(least, nodes)); };
  const counted_search what = detail::search_of(model, request);
  switch (what) {
    case counted_search::recomputation: return 5'000'000;
    case counted_search::devices: return static_cast<std::size_t>(8e6 / (1 + operators / 200));
    case counted_search::tables: return 1'000'000;
    case counted_search::placements:
      return at_least(1000, std::min(4e6, 1e11 / (operators * operators * (8 + devices))));
    case counted_search::loads:
      return at_least(2, 6e5 / (600 + 2 * operators) / (request.stages_per_rank == 1 ? 1 : 15));
    case counted_search::graph_makespan: return at_least(1000, 1e8 / (200 + passes + operators / 5));
    case counted_search::cuts:
    case counted_search::schedules: break;
  }
  const bool many = what == counted_search::schedules || request.schedule == schedule_kind::synthesized;
  return at_least(1000, 1e6 / (1.5 + passes / 430) / (many ? 10 : 1));
}

STAGECUT_DECL plan_request with_usual_limit(const profile& model, plan_request request) {
  if (request.search.time_limit || request.search.node_limit) return request;
  request.search.node_limit = stagecut::usual_node_limit(model, request);
  return request;
}

}  // namespace stagecut::inline STAGECUT_ABI
