// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/compare_plans.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/detail/choice_comparison.hpp>
#include <stagecut/plan/detail/combinations.hpp>
#include <stagecut/plan/detail/row_plan.hpp>
#include <stagecut/plan/parts/as_one_chain.hpp>
#include <stagecut/plan/parts/take_last_row.hpp>
#include <stagecut/plan/parts/with_machine.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/usual_search.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Compares plans of a chain.
STAGECUT_DECL plan_comparison compare_plans_of(const profile& chain, const plan_request& request,
                                               const plan_choices& choices) {
  plan_request asked = request;
  asked.objective = plan_objective::makespan;  // for which its messages use links
  asked = with_machine(chain, asked);
  asked.objective = request.objective;
  check_choices("compare_plans", "choices", chain, asked, choices);
  return choice_comparison(chain, asked, choices).run();
}

/// The request with the usual limit of nodes for each combination of these choices.
[[nodiscard]] STAGECUT_DECL plan_request with_limit_of_each(const profile& model, plan_request request,
                                                            const plan_choices& choices) {
  plan_request open = request;
  open.choices = choices;
  open.any_schedule = true;
  request.search = with_usual_limit(model, std::move(open)).search;
  return request;
}

/// Whether the makespan of a graph with parallel stages is known for a request.
STAGECUT_DECL bool is_free_graph_planned(const plan_request& request) {
  const bool moves = request.transfers == transfer_kind::link || request.transfers == transfer_kind::latency;
  return moves && request.speeds.empty() && request.links.size() <= 1 && !request.topology &&
         request.memory_limit.of_ranks().empty() && request.in_flight.empty() && request.forbidden_cuts.empty() &&
         request.kept_together.empty() && request.target == framework::none;
}

/// The requests for 1F1B of a graph that the choices leave open.
STAGECUT_DECL std::vector<plan_request> free_graph_requests(const plan_request& request, const plan_choices& choices) {
  std::vector<plan_request> result;
  if (!is_free_graph_planned(request)) return result;
  for (plan_request& combination : combinations(request, choices)) {
    if (combination.stages_per_rank != 1 || combination.schedule != schedule_kind::one_forward_one_backward) continue;
    combination.objective = plan_objective::makespan;
    result.push_back(std::move(combination));
  }
  return result;
}

/// Adds a plan of one more combination to a comparison.
STAGECUT_DECL void add_compared(plan_comparison& all, outcome<plan> found, const profile& model,
                                const plan_request& asked, std::size_t all_devices) {
  compared_plan row{asked.devices, 1, asked.microbatches, schedule_kind::in_flight};
  if (all_devices != 0) row.pipelines = all_devices / asked.devices;
  if (row.pipelines == 0) return;
  row.state = found.state();
  const auto m = static_cast<double>(row.microbatches);
  if (found) {
    row.makespan = found->objective.value;
    row.bound = found->objective.bound;
    row.per_microbatch = row.makespan / (m * static_cast<double>(row.pipelines));
  } else {
    row.why = found.why().text();
    for (const auto& layer : model.layers) row.bound += m * layer.time() / static_cast<double>(asked.devices);
    row.bound *= 1 - 0x1p-32;  // the same sum in another order
  }
  all.compared.push_back(std::move(row));
  take_last_row(all, std::move(found));
}

}  // namespace detail

STAGECUT_DECL plan_comparison compare_plans_fn::operator()(const profile& model, const plan_request& request,
                                                           const plan_choices& choices,
                                                           const graph_planner& of_graphs) const {
  if (model.edges.empty() || is_chain(model)) return (*this)(model, request, choices);
  std::vector<plan_request> others = detail::free_graph_requests(request, choices);
  plan_request asked = request;
  for (plan_request& other : others) other = with_usual_limit(model, std::move(other));
  if (asked.search.time_limit && !others.empty()) *asked.search.time_limit /= 2;
  plan_comparison result = (*this)(model, asked, choices);
  for (plan_request& other : others) {
    if (other.search.time_limit) *other.search.time_limit /= 2 * static_cast<double>(others.size());
    detail::add_compared(result, of_graphs(model, other), model, other, choices.all_devices);
  }
  return result;
}

STAGECUT_DECL plan_comparison compare_plans_fn::operator()(const profile& model, const plan_request& request,
                                                           const plan_choices& choices) const {
  const plan_request asked = detail::with_limit_of_each(model, request, choices);
  if (!model.edges.empty() && !is_chain(model)) {
    return detail::compare_rows("compare_plans", model, asked, [&](const profile& chain, const plan_request& one) {
      return detail::compare_plans_of(chain, one, choices);
    });
  }
  return detail::compare_plans_of(detail::as_one_chain("compare_plans", model, asked), asked, choices);
}

}  // namespace stagecut::inline STAGECUT_ABI
