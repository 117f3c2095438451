// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/make_plan.hpp>

#include <string>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/is_better_plan.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/detail/plan_orders.hpp>
#include <stagecut/plan/detail/plan_stages.hpp>
#include <stagecut/plan/detail/row_plan.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/as_one_chain.hpp>
#include <stagecut/plan/parts/check_request.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/request_problem.hpp>
#include <stagecut/plan/parts/with_machine.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/plan/usual_search.hpp>
#include <stagecut/profile/as_chain.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Rejects planning by a makespan that has this obstacle.
STAGECUT_DECL void check_without_makespan(const plan_request& request, const std::string& obstacle) {
  if (request.objective != plan_objective::makespan) return;
  fail(argument_error("make_plan", "objective", "makespan", joined({"is not known: ", obstacle})));
}

/// Whether a graph is planned as stages in a row. A graph that is a chain is planned as a chain, and so is one with a
/// cycle, which is rejected there.
STAGECUT_DECL bool is_for_row(const profile& model, const plan_request& request) {
  return !model.edges.empty() && asks_for_row(request) && !is_for_graphs(model, request) && !stagecut::is_chain(model);
}

/// The made plan, or the plan of the initial cut if that is better; the bound stays.
[[nodiscard]] STAGECUT_DECL outcome<plan> or_start(outcome<plan> made, const profile& chain,
                                                   const plan_request& request) {
  if (request.start.stages() == 0 || made.state() == state::optimal || made.state() == state::infeasible) return made;
  const outcome<scored_cut> own = score_cut(chain, request, request.start);
  if (!own || !own->broken.empty() || (made && !is_better_plan(own->made, *made))) return made;
  plan better = own->made;
  better.objective.bound = made ? made->objective.bound : 0;
  better.objective.state = state::feasible;
  return outcome<plan>::feasible(std::move(better));
}

/// The plan of a chain.
[[nodiscard]] STAGECUT_DECL outcome<plan> plan_one_chain(const profile& chain, const plan_request& request) {
  if (request.start.stages() != 0) check_start("make_plan", "start", request.start, chain, request);
  const plan_request asked = with_machine(chain, request);
  const plan_request begun = with_usable_start(chain, asked);
  const std::string obstacle = makespan_obstacle(chain, asked);
  const plan_objective of = asked.objective;
  const bool wanted = of == plan_objective::automatic || of == plan_objective::makespan;
  if (finds_order(asked)) {
    return or_start(plan_orders(chain, begun, wanted ? obstacle : "the objective is another"), chain, asked);
  }
  if (wanted && obstacle.empty()) return or_start(plan_makespan(chain, begun), chain, asked);
  check_request("make_plan", chain, asked);
  check_without_makespan(asked, obstacle);
  return or_start(plan_stages("make_plan", chain, asked), chain, asked);
}

}  // namespace detail

STAGECUT_DECL outcome<plan> make_plan_fn::operator()(const profile& model, const plan_request& request,
                                                     const graph_planner& of_graphs) const {
  const bool chain = !detail::is_for_graphs(model, request) && is_chain(model);
  if (chain || detail::is_for_row(model, request)) return (*this)(model, request);
  if (request.start.stages() != 0) {
    detail::fail(argument_error("make_plan", "start", detail::joined({request.start.stages(), " stages"}),
                                "is for chains only, and this is planned as a graph"));
  }
  if (request.target != framework::none) {
    detail::fail(argument_error("make_plan", "target", entry_of(request.target).name,
                                "is for chains only, and this is planned as a graph"));
  }
  return of_graphs(model, with_usual_limit(model, request));
}

STAGECUT_DECL outcome<plan> make_plan_fn::operator()(const profile& model, const plan_request& request) const {
  const plan_request asked = with_usual_limit(model, request);
  if (detail::is_for_row(model, asked)) return detail::plan_row("make_plan", model, asked, detail::plan_one_chain);
  return detail::plan_one_chain(detail::as_one_chain("make_plan", model, asked), asked);
}

}  // namespace stagecut::inline STAGECUT_ABI
