// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/recut_plan.hpp>

#include <cstddef>
#include <string>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/explained_plan.hpp>
#include <stagecut/plan/explain_plan.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL plan recut_plan_fn::operator()(const plan& made, cuts at) const {
  if (const std::string why = explanation_obstacle(made); !why.empty()) {
    detail::fail(argument_error("recut_plan", "made", detail::in_quotes(made.profile.name),
                                detail::joined({"cannot be cut anew: ", why})));
  }
  if (at.stages() != made.cuts.stages() || at.items() != made.cuts.items()) {
    detail::fail(argument_error("recut_plan", "at", detail::joined({at.stages(), " stages of ", at.items(), " layers"}),
                                detail::joined({"must be ", made.cuts.stages(), " of ", made.cuts.items()})));
  }
  const detail::explained_plan of(made);
  plan result = of.made();
  result.cuts = std::move(at);
  for (std::size_t s = 0; s < result.stages.size(); ++s) {
    of.remake(result, s);
    result.stages[s].cost = result.stages[s].forward + result.stages[s].mean_backward(made.schedule.microbatches);
  }
  result.makespan = detail::explained_plan::makespan_of(result, of.order());
  result.objective = {"makespan", "time", *result.makespan, 0, state::unknown};
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
