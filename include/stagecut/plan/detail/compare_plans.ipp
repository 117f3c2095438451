// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/detail/as_one_chain.hpp>
#include <stagecut/plan/detail/choice_comparison.hpp>
#include <stagecut/plan/detail/row_plan.hpp>
#include <stagecut/plan/detail/with_machine.hpp>
#include <stagecut/profile/as_chain.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Compares plans of a chain.
STAGECUT_DECL plan_comparison compare_plans_of(const profile& chain, const plan_request& request,
                                               const plan_choices& choices) {
  plan_request asked = request;
  asked.objective = plan_objective::makespan;  // for which its messages go over links
  asked = with_machine(chain, asked);
  asked.objective = request.objective;
  check_choices("compare_plans", "choices", chain, asked, choices);
  return choice_comparison(chain, asked, choices).run();
}

}  // namespace detail

STAGECUT_DECL plan_comparison compare_plans_fn::operator()(const profile& model, const plan_request& request,
                                                             const plan_choices& choices) const {
  if (!model.edges.empty() && !is_chain(model)) {
    return detail::compare_rows("compare_plans", model, request, [&](const profile& chain, const plan_request& asked) {
      return detail::compare_plans_of(chain, asked, choices);
    });
  }
  return detail::as_one_chain("compare_plans", model, request,
                              [&](const profile& chain) { return detail::compare_plans_of(chain, request, choices); });
}

}  // namespace stagecut::inline STAGECUT_ABI
