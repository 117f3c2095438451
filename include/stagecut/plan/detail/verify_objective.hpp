// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/detail/cheap_bounds.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/plan.hpp>

// What a plan minimised, and its bound.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The value of an objective of stages; unset: it is of none.
[[nodiscard]] inline std::optional<double> value_of_costs(std::string_view objective, const std::vector<double>& costs,
                                                          double microbatches) {
  double most = costs[0];
  double least = costs[0];
  double sum = 0;
  for (const double each : costs) {
    most = std::max(most, each);
    least = std::min(least, each);
    sum += each;
  }
  if (objective == "bottleneck" || objective == "leximax" || objective == "stage-time") return most;
  if (objective == "pipeline-length") return sum + (microbatches == 0 ? 0 : microbatches - 1) * most;
  if (objective == "time-per-token") return sum;
  if (objective == "communication") return sum / 2;  // both ends of what is handed over count it
  if (objective == "range") return most - least;
  if (objective != "variance") return std::nullopt;
  const double mean = sum / static_cast<double>(costs.size());
  double squares = 0;
  for (const double each : costs) squares += (each - mean) * (each - mean);
  return squares / static_cast<double>(costs.size());
}

/// Checks the value of an objective.
/// @param last_pass  when it ends, worked out anew; unset: it was not
/// @param iteration  when the iteration ends, likewise
[[nodiscard]] inline plan_check verify_objective(const verified_plan& all, const std::optional<double>& last_pass,
                                                 const std::optional<double>& iteration) {
  check_notes notes("objective");
  const objective_value& said = all.made.objective;
  notes.figures(said.value, std::nullopt);
  if (said.name.empty()) {
    notes.not_checked("", "it does not say what was minimised");
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
    notes.not_checked("", "it is worked out of the stages' costs as the plan says them");
    for (const planned_stage& each : all.made.stages) costs.push_back(each.cost);
  }
  double whole = 0;
  for (const double each : costs) whole += each;
  const std::optional<double> value = detail::value_of_costs(
      said.name, costs, static_cast<double>(all.made.schedule.microbatches));
  if (!value) {
    notes.broken("", joined({"there is no objective ", in_quotes(said.name)}));
    return notes.take();
  }
  const double rounding = said.name == "variance" ? whole * whole : whole;  // differences round as what they are of
  // Replicas with microbatches of their own run so many of them in the time of the slowest stage.
  const bool own = said.name == "stage-time" && all.made.own_microbatches && all.stages() > 0;
  const double found = own ? *value / static_cast<double>(all.made.stages[0].replicas) : *value;
  if (said.name == "pipeline-length" && clearly_above(said.value, *value, whole)) {
    notes.not_checked("", "messages and the exchange of gradients may count in it");
    return notes.take();
  }
  notes.compare("", "it is not that of the stages' costs", said.value, found, rounding);
  notes.figures(said.value, found);
  return notes.take();
}

/// Checks the bound of an objective against its value, and the value against what no plan can be below.
[[nodiscard]] inline plan_check verify_bound(const verified_plan& all) {
  check_notes notes("bound");
  const objective_value& said = all.made.objective;
  notes.figures(said.bound, std::nullopt);
  if (said.name.empty()) {
    notes.not_checked("", "it does not say what was minimised");
    return notes.take();
  }
  double whole = 0;
  for (const double each : all.costs) whole += each;
  const double rounding = said.name == "variance" ? whole * whole : whole;
  if (!is_finite(said.bound) || is_negative(said.bound) || !is_finite(said.value)) {
    notes.broken("", "bound or value is negative or not finite");
  }
  if (clearly_above(said.bound, said.value, rounding)) {
    notes.broken("", "the bound is above the value", said.bound, said.value);
  }
  if (said.state == state::optimal && !nearly_equal(said.bound, said.value, rounding)) {
    notes.broken("", "it is said to be optimal, and the bound is not the value", said.bound, said.value);
  }
  if (said.state == state::infeasible) notes.broken("", "it is said that there is no plan, and this is one");
  const std::optional<double> least = detail::cheap_bound(all);
  if (!least) {
    notes.not_checked("", "the profile does not say what no plan can be below");
    return notes.take();
  }
  if (clearly_above(*least, said.value, rounding)) {
    notes.broken("", "no plan can have so low a value", said.value, *least);
  }
  notes.figures(said.bound, least);
  return notes.take();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
