// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/separate.hpp>
#include <stagecut/plan/plan.hpp>
#if STAGECUT_BODIES
#include <cstddef>
#include <string>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/explained_plan.hpp>
#include <stagecut/plan/explain_plan.hpp>
#endif

namespace stagecut::inline v0 {

/// See `recut_plan`.
struct recut_plan_fn {
  /// See `recut_plan`.
  [[nodiscard]] plan operator()(const plan& made, cuts at) const;
};

/// A plan whose boundaries somebody moved: the same devices, schedule, microbatches and links, stages made again of the
/// layers between the new cuts, and when its iteration ends. Nothing is searched, and no memory is a limit.
///
/// @param made  a plan of a chain, with microbatches and a schedule by name or of its own
/// @param at    as many stages of the same layers
/// @return      with the makespan as its objective, of which nothing is proved, and without a timeline; layers that run in a
///              variant are told as they run
/// @throws      argument_error if there is an `explanation_obstacle`, or for cuts of other stages or layers; invalid_input
///              for stages whose times are not the sums over their layers, and as `schedule_of` and `simulate`
///
/// One simulation.
inline constexpr recut_plan_fn recut_plan{};

#if STAGECUT_BODIES
STAGECUT_INLINE plan recut_plan_fn::operator()(const plan& made, cuts at) const {
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
#endif

}  // namespace stagecut::inline v0
