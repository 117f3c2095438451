// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/sapp_rule.hpp>
#include <stagecut/joint/detail/sapp_search.hpp>
#include <stagecut/joint/detail/why_no_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A plan that is good for SAPP's objective, and what an iteration takes with it.
struct sapp_surrogate_plan {
  stagecut::cuts cuts{};               ///< the layers of every stage
  std::vector<std::size_t> choices{};  ///< of every layer, by number among those of its type
  double objective = 0;                ///< of SAPP, in the unit of the model
  double bound = 0;                    ///< no plan has less; equal to `objective` if proved best
  double recomputed = 0;               ///< what backward passes of a microbatch take more than with the fastest choices
  double makespan = 0;                 ///< simulated
  std::vector<double> memory{};        ///< bytes of every rank at its peak
};

/// What SAPP minimises in place of the makespan, for a plan.
///
/// @param model    the layers
/// @param request  the order, with the stages of the ranks in turn and whole backward passes; memory and messages, of which
///                 the objective knows nothing, are not looked at
/// @param stages   the layers of every stage
/// @param choices  of every layer, by number among those of its type
/// @param level    SAPP's optimisation level, 0 or 1
/// @return         the greatest sum of a forward and a backward pass of any two stages of one rank. At level 1 for several
///                 stages a rank and as many microbatches as ranks x + max(x, y): x is the longest backward pass of any
///                 stage but the last of a rank, and y of the last ones, with a share of their forward pass
/// @throws         argument_error for another order or level; otherwise as `simulate_recomputation`
///
/// Not a bound of the makespan, on either side. Slices of sequences count as microbatches.
///
/// Source: sapp_solver.py of SAPP's pipeline balance, MindFormers 0b3a3b55. Left out: level 2, which adds differences of
/// neighbours.
[[nodiscard]] inline double sapp_objective(const recompute_model& model, const recompute_request& request,
                                           const cuts& stages, const std::vector<std::size_t>& choices,
                                           std::size_t level = 1) {
  detail::check_recompute_request("sapp_objective", model, request);
  const detail::sapp_rule rule("sapp_objective", request.order, level);
  const recompute_run run = simulate_recomputation(model, request, stages, choices);
  detail::sapp_rule::parts largest;
  const std::size_t ranks = request.order.ranks();
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto here = rule.of(r, model.tail.forward, [&](std::size_t v, bool is_backward) {
      return (is_backward ? run.times.backward : run.times.forward)[v * ranks + r];
    });
    if (largest.first < here.first) largest.first = here.first;
    if (largest.last < here.last) largest.last = here.last;
  }
  return rule.value(largest) / rule.count();
}

/// The plan that SAPP looks for: of those that fit, the one of least `sapp_objective`. To compare with the plan of least
/// makespan, which this one seldom is; it is no planner of its own.
///
/// @param model    layers with the choices of each
/// @param request  as for `sapp_objective`; memory is reckoned as `minimize_recomputation` does, exactly, where SAPP's rows
///                 may fall short; its limits are not looked at
/// @param level    as for `sapp_objective`
/// @return         optimal, with `objective == bound`, which says nothing of the makespan; feasible, where layers of several
///                 types make too many options; infeasible as `minimize_recomputation`; unknown if there were too many
///                 options before any plan was found
/// @throws         as `sapp_objective`
///
/// Of plans with the same objective, which are many, it is one that recomputes least, then the one found first, where SAPP
/// takes what its solver ends with. Deterministic. For every value that x may have the least y is found by dynamic
/// programming: O(values * options), milliseconds where layers are alike.
[[nodiscard]] inline outcome<sapp_surrogate_plan> minimize_sapp_surrogate(const recompute_model& model,
                                                                          const recompute_request& request,
                                                                          std::size_t level = 1) {
  using answer = outcome<sapp_surrogate_plan>;
  constexpr const char* function = "minimize_sapp_surrogate";
  detail::check_recompute_request(function, model, request);
  const detail::sapp_rule rule(function, request.order, level);
  if (detail::least_layers_in_all(request) > model.layers.size()) {
    return answer::infeasible(detail::why_too_few_layers(model, request));
  }
  detail::sapp_search search(model, request, rule);
  using found = detail::sapp_search::found;
  const found what = search.run();
  if (what == found::nothing) return answer::unknown({reason::cause::limit_reached});
  if (what == found::none_exists) return answer::infeasible(detail::why_no_recomputation(model, request));
  sapp_surrogate_plan plan;
  auto [points, choices] = search.plan();
  plan.cuts = std::move(points);
  plan.choices = std::move(choices);
  const recompute_run run = simulate_recomputation(model, request, plan.cuts, plan.choices);
  plan.makespan = run.makespan;
  plan.memory = run.memory;
  for (const double each : run.recomputed) plan.recomputed += each;
  plan.objective = sapp_objective(model, request, plan.cuts, plan.choices, level);
  plan.bound = what == found::best ? plan.objective : search.bound_of_work();
  if (plan.bound > plan.objective) plan.bound = plan.objective;
  return what == found::best ? answer::optimal(std::move(plan)) : answer::feasible(std::move(plan));
}

}  // namespace stagecut::inline STAGECUT_ABI
