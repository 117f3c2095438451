// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/verify_plan.hpp>

#include <stagecut/plan/detail/check_notes.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/detail/cheap_bounds.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/detail/verify_costs.hpp>
#include <stagecut/plan/detail/verify_loads.hpp>
#include <stagecut/plan/detail/verify_makespan.hpp>
#include <stagecut/plan/detail/verify_memory.hpp>
#include <stagecut/plan/detail/verify_messages.hpp>
#include <stagecut/plan/detail/verify_placement.hpp>
#include <stagecut/plan/detail/verify_profile.hpp>
#include <stagecut/plan/detail/verify_schedule.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/as_inference.hpp>

// What a plan minimised, and its bound.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The value of an objective of stages; unset for other objectives.
[[nodiscard]] inline std::optional<double> value_of_costs(std::string_view objective, const std::vector<double>& costs,
                                                          double microbatches) {
  double most = costs[0];
  double least = costs[0];
  double sum = 0;
  for (const double cost : costs) {
    most = std::max(most, cost);
    least = std::min(least, cost);
    sum += cost;
  }
  if (objective == "bottleneck" || objective == "leximax" || objective == "stage-time") return most;
  if (objective == "pipeline-latency") return sum + (microbatches == 0 ? 0 : microbatches - 1) * most;
  if (objective == "time-per-token") return sum;
  if (objective == "communication") return sum / 2;  // both ends count every message
  if (objective == "range") return most - least;
  if (objective != "variance") return std::nullopt;
  const double mean = sum / static_cast<double>(costs.size());
  double squares = 0;
  for (const double cost : costs) squares += (cost - mean) * (cost - mean);
  return squares / static_cast<double>(costs.size());
}

/// Checks the value of an objective.
/// @param last_pass  its end, recomputed; unset: it was not
/// @param iteration  the end of the iteration, recomputed; unset: it was not
[[nodiscard]] inline plan_check verify_objective(const verified_plan& all, const std::optional<double>& last_pass,
                                                 const std::optional<double>& iteration) {
  check_notes notes("objective");
  const objective_value& said = all.made.objective;
  notes.figures(said.value, std::nullopt);
  if (said.name.empty()) {
    notes.not_checked("", "it does not give the objective");
    return notes.take();
  }
  if (said.name == "makespan" || said.name == "iteration") {
    const std::optional<double>& found = said.name == "makespan" ? last_pass : iteration;
    if (!found) {
      notes.not_checked("", "the makespan was not worked out");
      return notes.take();
    }
    notes.compare("", "it is not the makespan", said.value, *found);
    notes.figures(said.value, found);
    return notes.take();
  }
  std::vector<double> costs = all.costs;
  if (costs.empty()) {
    notes.not_checked("", "it is computed from the costs of stages as given in the plan");
    for (const planned_stage& stage : all.made.stages) costs.push_back(stage.cost);
  }
  double whole = 0;
  for (const double cost : costs) whole += cost;
  const std::optional<double> value =
      detail::value_of_costs(said.name, costs, static_cast<double>(all.made.schedule.microbatches));
  if (!value) {
    notes.broken("", joined({"there is no objective ", in_quotes(said.name)}));
    return notes.take();
  }
  const double rounding = said.name == "variance" ? whole * whole : whole;  // differences round as their operands do
  // Replicas with microbatches of their own each run one in the time of the slowest stage.
  const bool own = said.name == "stage-time" && all.made.own_microbatches && all.stages() > 0;
  const double found = own ? *value / static_cast<double>(all.made.stages[0].replicas) : *value;
  if (said.name == "pipeline-latency" && clearly_above(said.value, *value, whole)) {
    notes.not_checked("", "messages and the exchange of gradients may count in it");
    return notes.take();
  }
  notes.compare("", "it does not follow from the stages' costs", said.value, found, rounding);
  notes.figures(said.value, found);
  return notes.take();
}

/// Checks the bound of an objective against its value, and the value against cheap lower bounds.
[[nodiscard]] inline plan_check verify_bound(const verified_plan& all) {
  check_notes notes("bound");
  const objective_value& said = all.made.objective;
  notes.figures(said.bound, std::nullopt);
  if (said.name.empty()) {
    notes.not_checked("", "it does not give the objective");
    return notes.take();
  }
  double whole = 0;
  for (const double cost : all.costs) whole += cost;
  const double rounding = said.name == "variance" ? whole * whole : whole;
  if (!is_finite(said.bound) || is_negative(said.bound) || !is_finite(said.value)) {
    notes.broken("", "bound or value is negative or not finite");
  }
  if (clearly_above(said.bound, said.value, rounding)) {
    notes.broken("", "the bound is above the value", said.bound, said.value);
  }
  if (said.state == state::optimal && !nearly_equal(said.bound, said.value, rounding)) {
    notes.broken("", "the state is optimal, and the bound is not the value", said.bound, said.value);
  }
  if (said.state == state::infeasible) notes.broken("", "the state is infeasible, and this is a plan");
  const std::optional<double> least = detail::cheap_bound(all);
  if (!least) {
    notes.not_checked("", "the profile does not give what bounds all plans from below");
    return notes.take();
  }
  if (clearly_above(*least, said.value, rounding)) {
    notes.broken("", "no plan can have so low a value", said.value, *least);
  }
  notes.figures(said.bound, least);
  return notes.take();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The result of a check without anything to check.
STAGECUT_DECL plan_check unchecked(const char* name, const char* why) {
  check_notes notes(name);
  notes.not_checked("", why);
  return notes.take();
}

/// Computes what checks have in common.
STAGECUT_DECL void begin_checks(verified_plan& all) {
  const std::size_t n = all.model.layers.size();
  all.needs = all.model.edges.empty() ? detail::chain_edges(n) : all.model.edges;
  for (const profile_edge& edge : all.needs) {
    if (edge.from < n && edge.to < n) all.flow.push_back(edge);
  }
  for (std::size_t i = 0; i < n; ++i) all.figures.push_back(detail::chosen_figures_of(all.model, all.made, i));
}

/// Checks the figures of a plan's stages and of its iteration.
STAGECUT_DECL void check_figures_of(verified_plan& all, plan_verification& result) {
  constexpr const char* names[] = {"loads", "memory", "messages", "schedule", "makespan", "objective", "bound"};
  bool placed = !all.stage_of.empty();
  for (const planned_stage& stage : all.made.stages) placed = placed && stage.device < all.made.devices;
  if (!placed) {
    for (const char* const name : names) result.checks.push_back(detail::unchecked(name, no_stages));
    return;
  }
  for (std::size_t i = 0; i < all.figures.size() && !all.made.own_microbatches; ++i) {
    detail::share_out(all.figures[i], all.made.stages[all.stage_of[i]].replicas);
  }
  plan_check messages = detail::verify_messages(all);
  check_notes loads("loads");
  detail::verify_seconds(all, loads);
  detail::verify_costs(all, loads);
  check_notes order_notes("schedule");
  const schedule order = detail::verify_order_of(all, order_notes);
  check_notes makespan_notes("makespan");
  const detail::verified_ends ends = detail::verify_run(all, order, order_notes, makespan_notes);
  result.checks.push_back(loads.take());
  result.checks.push_back(detail::verify_memory_of(all, order));
  result.checks.push_back(std::move(messages));
  result.checks.push_back(order_notes.take());
  result.checks.push_back(makespan_notes.take());
  result.checks.push_back(detail::verify_objective(all, ends.last_pass, ends.iteration));
  result.checks.push_back(detail::verify_bound(all));
}

/// A plan with only the stage of each layer, and what follows from it.
STAGECUT_DECL plan bare_plan(const profile& model, const std::vector<std::size_t>& stage_of) {
  const std::size_t n = model.layers.size();
  plan result;
  result.profile = model;
  result.assignment = stage_of;
  for (const std::size_t each : stage_of) {
    if (each < n && result.devices <= each) result.devices = each + 1;
  }
  result.stages.resize(result.devices);
  for (std::size_t s = 0; s < result.devices; ++s) result.stages[s].device = s;
  for (std::size_t i = 0; i < n && i < stage_of.size(); ++i) {
    if (stage_of[i] < n && !model.layers[i].accelerator) result.stages[stage_of[i]].on_cpu = true;
  }
  for (std::size_t i = 0; i < n && i < stage_of.size(); ++i) {
    if (stage_of[i] >= n) continue;
    planned_stage& stage = result.stages[stage_of[i]];
    stage.forward += stage.on_cpu ? model.layers[i].cpu.value_or(0) : model.layers[i].forward;
    stage.backward += stage.on_cpu ? 0 : model.layers[i].backward;
  }
  return result;
}

}  // namespace detail

STAGECUT_DECL plan_verification verify_plan_fn::operator()(const profile& model, const plan& made) const {
  if (made.profile.inference && !model.inference) return (*this)(as_inference(model), made);
  plan_verification result;
  const bool chain_of_graph = !model.edges.empty() && made.profile.edges.empty();
  detail::verified_plan all{chain_of_graph ? made.profile : model, made};
  if (model.layers.empty() || model.layers.size() != made.profile.layers.size()) {
    result.checks.push_back(detail::verify_profile(model, all));
    for (const named<const char*>& entry : plan_check_names) {
      if (result.checks[0].name != entry.name)
        result.checks.push_back(detail::unchecked(entry.name, "it is of another profile"));
    }
    return result;
  }
  detail::begin_checks(all);
  result.checks.push_back(detail::verify_profile(model, all));
  result.checks.push_back(detail::verify_assignment_of(all));
  result.checks.push_back(detail::verify_acyclic(all));
  result.checks.push_back(detail::verify_groups(all));
  result.checks.push_back(detail::verify_tied(all));
  result.checks.push_back(detail::verify_fixed(all));
  result.checks.push_back(detail::verify_devices(all));
  detail::check_figures_of(all, result);
  return result;
}

STAGECUT_DECL plan_verification verify_plan_fn::operator()(const profile& model,
                                                           const std::vector<std::size_t>& stage_of) const {
  const plan bare = detail::bare_plan(model, stage_of);
  plan_verification result = (*this)(model, bare);
  for (plan_check& check : result.checks) {
    const bool placement = check.name == "assignment" || check.name == "acyclic" || check.name == "groups" ||
                           check.name == "tied" || check.name == "fixed" || check.name == "devices";
    if (placement) continue;
    const std::optional<double> found = check.recomputed;
    check = detail::unchecked(check.name.c_str(), "an assignment does not give it");
    check.recomputed = found;
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
