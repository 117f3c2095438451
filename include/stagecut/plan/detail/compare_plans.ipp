// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/detail/as_one_chain.hpp>
#include <stagecut/plan/detail/choice_comparison.hpp>
#include <stagecut/plan/detail/with_machine.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL plan_comparison compare_plans_fn::operator()(const profile& model, const plan_request& request,
                                                             const plan_choices& choices) const {
  return detail::as_one_chain("compare_plans", model, request, [&](const profile& chain) {
    plan_request asked = request;
    asked.objective = plan_objective::makespan;  // for which its messages go over links
    asked = detail::with_machine(chain, asked);
    asked.objective = request.objective;
    detail::check_choices("compare_plans", "choices", chain, asked, choices);
    return detail::choice_comparison(chain, asked, choices).run();
  });
}

}  // namespace stagecut::inline STAGECUT_ABI
