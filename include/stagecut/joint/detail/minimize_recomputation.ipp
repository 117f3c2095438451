// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/minimize_recomputation.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/recompute_search.hpp>
#include <stagecut/joint/detail/explain_infeasible_recomputation.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Whether a user's own plan separates nothing that must stay together, all its stages have enough layers and all ranks
/// enough memory.
[[nodiscard]] inline bool keeps_to(const recompute_model& model, const recompute_request& request,
                                   const recompute_strategy& of, const recompute_run& run) {
  if (parts_layers(model, of.cuts)) return false;
  const std::vector<std::size_t> least = least_layers_of(request);
  for (std::size_t s = 0; s < least.size(); ++s) {
    if (of.cuts.points()[s + 1] - of.cuts.points()[s] < least[s]) return false;
  }
  for (std::size_t r = 0; r < run.memory.size(); ++r) {
    if (run.memory[r] > memory_of(request, r) + request.constant) return false;
  }
  return true;
}

/// The user's own plan that keeps to the request and finishes first; null: none does.
[[nodiscard]] inline const recompute_strategy* best_own(const recompute_model& model,
                                                        const recompute_request& request) {
  const recompute_strategy* best = nullptr;
  double least = 0;
  for (const recompute_strategy& strategy : request.starts) {
    const recompute_run run = simulate_recomputation(model, request, strategy.cuts, strategy.choices);
    if (!keeps_to(model, request, strategy, run) || (best != nullptr && !(run.makespan < least))) continue;
    best = &strategy;
    least = run.makespan;
  }
  return best;
}

/// The plan, or the user's own, or an even one, if that finishes earlier.
/// @param own    from `best_own`
/// @param bound  no plan finishes earlier, whether one was found or not
[[nodiscard]] inline outcome<recompute_plan> best_start(const recompute_model& model, const recompute_request& request,
                                                        const recompute_strategy* own, outcome<recompute_plan> found,
                                                        double bound) {
  if (found.state() == state::optimal || found.state() == state::infeasible) return found;
  std::vector<recompute_strategy> all;
  if (own != nullptr) all.push_back(*own);
  for (const even_choice each : {even_choice::fastest, even_choice::leanest}) {
    all.push_back(even_recomputation(model, request.schedule.stages(), each));
  }
  for (const recompute_strategy& strategy : all) {
    const recompute_run run = simulate_recomputation(model, request, strategy.cuts, strategy.choices);
    if (!keeps_to(model, request, strategy, run) || (found && !(run.makespan < found->value))) continue;
    recompute_plan made;
    made.bound = bound;
    if (found) made = *std::move(found);
    made.cuts = strategy.cuts;
    made.choices = strategy.choices;
    made.value = run.makespan;
    made.memory = run.memory;
    if (run.makespan < made.bound) made.bound = run.makespan;
    found = made.bound < made.value ? outcome<recompute_plan>::feasible(std::move(made))
                                       : outcome<recompute_plan>::optimal(std::move(made));
  }
  return found;
}

}  // namespace detail

STAGECUT_DECL outcome<recompute_plan> minimize_recomputation_fn::operator()(const recompute_model& model,
                                                                            const recompute_request& request) const {
  using answer = outcome<recompute_plan>;
  detail::check_recompute_request("minimize_recomputation", model, request);
  if (detail::least_layers_in_all(request) > model.layers.size() || !detail::can_be_cut(model, request)) {
    return answer::infeasible(detail::why_too_few_layers(model, request));
  }
  return detail::recorded(request, [&](const recompute_request& asked) { return solved(model, asked); });
}

STAGECUT_DECL outcome<recompute_plan> minimize_recomputation_fn::solved(const recompute_model& model,
                                                                        const recompute_request& request) {
  using answer = outcome<recompute_plan>;
  const std::size_t stages = request.schedule.stages();
  const bool splits = detail::splits_backward(request.schedule);
  const bool differ = detail::buffers_differ(model, request);
  detail::recompute_search search(model, request, detail::least_messages(model, request), splits,
                                  !request.links.empty() && stages > 1, !differ);
  using found = detail::recompute_search::found;
  const recompute_strategy* const own = detail::best_own(model, request);
  const found what = search.run(own);
  const double bound = std::max(0.0, search.bound_of_work() - search.error());
  if (what == found::nothing) {
    return detail::best_start(model, request, own, answer::unknown({reason::cause::limit_reached}), bound);
  }
  if (what == found::none_exists && differ && !detail::is_proved_infeasible(model, request)) {
    return detail::best_start(
        model, request, own,
        answer::unknown({reason::cause::constraint, 0, 0, "none was found with the largest buffers at all ends"}),
        bound);
  }
  if (what == found::none_exists) return answer::infeasible(detail::explain_infeasible_recomputation(model, request));
  recompute_plan plan = told(model, request, search, differ);
  return detail::best_start(
      model, request, own,
      plan.bound < plan.value ? answer::feasible(std::move(plan)) : answer::optimal(std::move(plan)), bound);
}

STAGECUT_DECL recompute_plan minimize_recomputation_fn::told(const recompute_model& model,
                                                             const recompute_request& request,
                                                             detail::recompute_search& search, bool buffers_differ) {
  recompute_plan plan;
  std::vector<std::size_t> points{0};
  for (const std::size_t count : search.counts()) points.push_back(points.back() + count);
  plan.cuts = cuts(points, empty_stages::allowed);
  plan.choices.resize(model.layers.size());
  for (std::size_t s = 0; s < request.schedule.stages(); ++s) {
    auto left = search.ways_of(s);
    for (std::size_t i = points[s]; i < points[s + 1]; ++i) {
      plan.choices[i] = detail::next_choice(model.types[model.layers[i]], left[model.layers[i]]);
    }
  }
  const recompute_run run = simulate_recomputation(model, request, plan.cuts, plan.choices);
  plan.value = run.makespan;
  plan.memory = run.memory;
  // Times were rounded, or messages taken at their smallest.
  const bool same = search.makespan() >= plan.value * (1 - 0x1p-40);
  const bool exact = search.error() <= plan.value * 0x1p-30;
  const bool proved = search.proved() && same && exact && !buffers_differ;
  // Plans with buffers below the largest were left out.
  const double least = (buffers_differ ? search.bound_of_work() : search.bound()) - search.error();
  plan.bound = proved || least > plan.value ? plan.value : least > 0 ? least : 0;
  plan.statistics.nodes = search.clock().state.nodes;
  plan.statistics.evaluations = search.simulations();
  return plan;
}

}  // namespace stagecut::inline STAGECUT_ABI
