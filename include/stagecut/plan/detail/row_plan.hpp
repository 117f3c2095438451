// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/detail/combinations.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// Plans of graphs whose stages are in a row, by any schedule of a chain: each stage forwards to the next one all that
// later stages need.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a request needs stages in a row: no order of passes is known for it with parallel stages, or PyTorch is the
/// target, which runs none.
[[nodiscard]] inline bool asks_for_row(const plan_request& request) {
  if (request.target == framework::pytorch) return true;
  const bool makespan = request.objective == plan_objective::makespan;
  switch (request.schedule) {
    case schedule_kind::one_forward_one_backward: return makespan && request.stages_per_rank > 1;
    case schedule_kind::gpipe: return makespan;
    default: return true;
  }
}

/// The layers of a graph as a chain: in one topological order.
struct layer_row {
  profile chain{};                   ///< the output of a layer is all that crosses a cut after it
  std::vector<std::size_t> order{};  ///< the layer of the graph at each position of the chain
  std::vector<interval> together{};  ///< of positions: a group, and what is between its layers
  std::vector<std::size_t> unit{};   ///< for each layer of the graph, the first of its group, or itself
};

/// For each layer the first of its group, or itself.
[[nodiscard]] inline std::vector<std::size_t> first_of_groups(const profile& graph) {
  std::vector<std::size_t> by_group;
  std::vector<std::size_t> result(graph.layers.size());
  for (std::size_t v = 0; v < result.size(); ++v) {
    result[v] = v;
    if (!graph.layers[v].group.empty()) by_group.push_back(v);
  }
  const auto group = [&](std::size_t v) -> std::string_view { return graph.layers[v].group; };
  std::stable_sort(by_group.begin(), by_group.end(), [&](std::size_t a, std::size_t b) { return group(a) < group(b); });
  for (std::size_t i = 1; i < by_group.size(); ++i) {
    if (group(by_group[i]) == group(by_group[i - 1])) result[by_group[i]] = result[by_group[i - 1]];
  }
  return result;
}

/// A topological order of the layers, the least number first: the listed order if that is topological. Layers of a
/// group are adjacent unless something has to be between them.
[[nodiscard]] inline std::vector<std::size_t> row_order(const profile& graph, const layer_graph& edges,
                                                        const std::vector<std::size_t>& unit) {
  std::vector<std::size_t> plain = edges.order();
  if (plain.size() != edges.size()) {
    const std::vector<std::size_t> cycle = edges.cycle();
    refuse_layer(graph, cycle[0], cycle_text(graph.layers, cycle), " is a cycle");
  }
  const auto group = [&](std::size_t i) -> std::string_view { return graph.layers[plain[i]].group; };
  if (find_parted_group(plain.size(), group).again == plain.size()) return plain;
  layer_graph units(plain.size());
  for (const profile_edge& edge : graph.edges) {
    if (unit[edge.from] != unit[edge.to]) units.join(unit[edge.from], unit[edge.to]);
  }
  const std::vector<std::size_t> whole = units.order();
  if (whole.size() != plain.size()) return plain;  // some group has others between its layers
  std::vector<std::vector<std::size_t>> members(plain.size());
  for (const std::size_t v : plain) members[unit[v]].push_back(v);
  std::vector<std::size_t> result;
  for (const std::size_t u : whole) result.insert(result.end(), members[u].begin(), members[u].end());
  return result;
}

/// @throws invalid_input as `as_chain`, but not for layers that no path joins, and groups
[[nodiscard]] inline layer_row make_layer_row(const profile& graph) {
  const layer_graph edges = edges_of(graph);
  layer_row result;
  result.unit = first_of_groups(graph);
  result.order = row_order(graph, edges, result.unit);
  const std::size_t n = result.order.size();
  result.chain = graph;
  result.chain.edges.clear();
  std::vector<interval> spans(n, interval{n, 0});  // for each unit
  for (std::size_t i = 0; i < n; ++i) {
    layer& here = result.chain.layers[i] = graph.layers[result.order[i]];
    here.group = std::string();  // `together` has it, which may have others between
    interval& span = spans[result.unit[result.order[i]]];
    span = {std::min(span.first, i), i + 1};
  }
  for (const interval& each : spans) {
    if (each.first + 1 < each.last) result.together.push_back(each);
  }
  add_crossing(graph, edges, result.order, result.chain.layers);
  return result;
}

/// Rejects request fields that do not apply to stages in a row.
inline void check_row_request(std::string_view function, const layer_row& row, const plan_request& request) {
  const auto refuse = [&](const char* argument, const char* value, std::string_view requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  if (request.target != framework::none && request.target != framework::pytorch) {
    refuse("target", entry_of(request.target).name, "is for chains only, and this is a graph");
  }
  const bool listed = std::is_sorted(row.order.begin(), row.order.end());
  constexpr const char* unlisted = "numbers layers, which are not in topological order: set groups";
  if (!listed && !request.forbidden_cuts.empty()) refuse("forbidden_cuts", "{…}", unlisted);
  if (!listed && !request.kept_together.empty()) refuse("kept_together", "{…}", unlisted);
  if (!request.weights.empty()) refuse("weights", "{…}", "is for chains only");
  if (request.start.stages() != 0) refuse("start", "{…}", "is for chains only, and this is a graph");
  if (request.memory_accounting.checkpoint != checkpointing::never) {
    refuse("memory_accounting.checkpoint", to_string(request.memory_accounting.checkpoint),
           "is for chains only, and this is a graph");
  }
}

/// The request for the chain.
[[nodiscard]] inline plan_request row_request(std::string_view function, const layer_row& row, plan_request request) {
  check_row_request(function, row, request);
  request.kept_together.insert(request.kept_together.end(), row.together.begin(), row.together.end());
  return request;
}

/// The least seconds of a backward pass, and of its part that the stages before wait for.
struct backward_seconds {
  double all = 0;
  double waited_for = 0;
};
[[nodiscard]] inline backward_seconds least_backward_of(const layer& each, bool split) {
  if (!split || !each.backward_weight) return {each.backward, each.backward};
  const double parts = each.backward_input ? *each.backward_input + *each.backward_weight : each.backward;
  const double all = std::min(parts, each.backward);
  return {all, std::max(0.0, all - *each.backward_weight)};
}

/// Lower bound on the iteration of stages in a row, for any order of the layers: the mean device's work, the heaviest
/// group, and the path of a microbatch through all stages and back. If each device has one stage that runs whole
/// passes, stage i works m L(i) and waits for the L(j) of those before: see docs/graphs.md, `chain`.
[[nodiscard]] inline double least_in_a_row(const profile& graph, const layer_row& row, const plan_request& request) {
  const bool split = entry_of(requested_kind(request)).splits_backward || finds_order(request);
  double work = 0, way = 0;
  std::vector<double> units(graph.layers.size());
  for (std::size_t v = 0; v < units.size(); ++v) {
    const layer& each = graph.layers[v];
    const backward_seconds backward = least_backward_of(each, split);
    work += each.forward + backward.all;
    way += each.forward + backward.waited_for;
    units[row.unit[v]] += each.forward + backward.all;
  }
  const auto m = static_cast<double>(request.microbatches);
  auto speeds = static_cast<double>(request.devices);
  double fastest = 1;
  if (!request.speeds.empty()) {
    speeds = fastest = 0;
    for (const double speed : request.speeds) speeds += speed, fastest = std::max(fastest, speed);
  }
  const double heaviest = *std::max_element(units.begin(), units.end());
  double least = std::max({m * work / speeds, m * heaviest / fastest, way / fastest});
  if (request.stages_per_rank == 1 && !split && request.speeds.empty()) {
    double left = 1;  // of T, after all stages
    for (std::size_t p = 0; p < request.devices; ++p) left *= 1 - 1 / m;
    least = std::max(least, work / (1 - left));
  }
  return least * (1 - 0x1p-32);  // the same sums in another order
}

/// Converts a plan of the chain to one of the graph: an edge from each stage to the next, with all that crosses there.
[[nodiscard]] inline plan graph_plan_of(const profile& graph, const layer_row& row, plan made) {
  const std::vector<double> bytes = message_bytes(made);
  const std::vector<std::size_t> at = made.cuts.assignment();
  std::vector<std::size_t> stage_of(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) stage_of[row.order[i]] = at[i];
  made.profile = graph;
  assign_stages(made, std::move(stage_of));
  for (std::size_t s = 0; s < bytes.size(); ++s) made.edges.push_back({s, s + 1, bytes[s]});
  return made;
}

/// Whether there is a layer, or a whole group, for every stage.
[[nodiscard]] inline bool can_hold(const layer_row& row, const plan_request& request) {
  std::size_t parts = 0;
  for (std::size_t v = 0; v < row.unit.size(); ++v) parts += row.unit[v] == v ? 1 : 0;
  return parts >= request.devices * request.stages_per_rank;
}

/// A plan for one order as an answer for all: optimal if it meets the bound.
/// @param least  lower bound in seconds for any order
[[nodiscard]] inline outcome<plan> of_all_orders(const profile& graph, const layer_row& row, plan found, double least) {
  plan made = graph_plan_of(graph, row, std::move(found));
  objective_value& of = made.objective;
  const bool optimal = of.value - least <= of.value * 0x1p-30;
  of.bound = optimal ? of.value : least;
  of.state = optimal ? state::optimal : state::feasible;
  return optimal ? outcome<plan>::optimal(std::move(made)) : outcome<plan>::feasible(std::move(made));
}

/// If one order has no plan, others may.
[[nodiscard]] inline outcome<plan> unknown_of_all_orders(const reason& why) {
  return outcome<plan>::unknown(
      {reason::cause::constraint, 0, 0, joined({"in the one order of the layers that was tried, ", why.text()})});
}

/// Plans a graph as stages in a row: applies `plan_it(chain, request)` to the chain.
template <class Plan>
[[nodiscard]] outcome<plan> plan_row(std::string_view function, const profile& graph, const plan_request& request,
                                     const Plan& plan_it) {
  const plan_objective of = request.objective;
  if (of != plan_objective::automatic && of != plan_objective::makespan) {
    fail(argument_error(function, "objective", to_string(of),
                        joined({"must be the makespan for a graph run as ", to_string(request.schedule)})));
  }
  const layer_row row = make_layer_row(graph);
  plan_request asked = row_request(function, row, request);
  asked.objective = plan_objective::makespan;
  outcome<plan> found = plan_it(row.chain, asked);
  if (found) return of_all_orders(graph, row, *std::move(found), least_in_a_row(graph, row, request));
  return found.state() == state::infeasible && can_hold(row, request) ? unknown_of_all_orders(found.why()) : found;
}

/// Compares plans of a graph as stages in a row: applies `compare(chain, request)` to the chain, with bounds that hold
/// for all orders.
template <class Compare>
[[nodiscard]] plan_comparison compare_rows(std::string_view function, const profile& graph, const plan_request& request,
                                           const Compare& compare) {
  const layer_row row = make_layer_row(graph);
  plan_request asked = row_request(function, row, request);
  plan_comparison result = compare(row.chain, asked);
  double open = std::numeric_limits<double>::infinity();  // lower bound per microbatch over all combinations
  double best = open;
  for (compared_plan& each : result.compared) {
    asked.devices = each.devices, asked.stages_per_rank = each.stages_per_rank, asked.microbatches = each.microbatches;
    asked.schedule = each.schedule, asked.group = each.group;
    const bool shaped = each.pipelines != 0 && shape_obstacle(row.chain, asked).empty();
    if (!shaped || asked.microbatches == 0 || !can_hold(row, asked)) continue;
    if (each.state == state::infeasible) each.state = state::unknown;
    const double least = least_in_a_row(graph, row, asked);
    const bool optimal = each.makespan > 0 && each.makespan - least <= each.makespan * 0x1p-30;
    each.bound = optimal ? each.makespan : least;
    if (each.makespan > 0) each.state = optimal ? state::optimal : state::feasible;
    const auto all = static_cast<double>(each.microbatches * each.pipelines);
    open = std::min(open, each.bound / all);
    if (each.makespan > 0) best = std::min(best, each.per_microbatch);
  }
  if (result.best) {
    const double least = result.best->objective.value * std::min(1.0, open / best);
    result.best = of_all_orders(graph, row, *std::move(result.best), least);
  } else if (is_finite(open)) {
    result.best = unknown_of_all_orders(result.best.why());
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
