// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/sapp_surrogate.hpp>

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

STAGECUT_DECL double sapp_objective(const recompute_model& model, const recompute_request& request, const cuts& stages,
                                    const std::vector<std::size_t>& choices, std::size_t level) {
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

STAGECUT_DECL outcome<sapp_surrogate_plan> minimize_sapp_surrogate(const recompute_model& model,
                                                                   const recompute_request& request,
                                                                   std::size_t level) {
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
