// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/minimize_hybrid.hpp>

#include <cstddef>
#include <utility>

#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/shared_effort.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/detail/hybrid_search.hpp>
#include <stagecut/joint/detail/explain_infeasible_hybrid.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/minimize_pipeline_latency.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Seconds of both passes of a microbatch: twice those of a stage if all devices shared the work evenly and as
/// efficiently as the best way to run the whole model.
[[nodiscard]] inline double first_pass(const any_stage_options& model, const hybrid_request& request) {
  double work = beyond_time;
  const auto look = [&](const stage_option& option) {
    const double here = static_cast<double>(option.devices()) * (option.forward + option.backward);
    work = here < work ? here : work;
  };
  stage_query query{0, model.size(), model.period()};
  model.each_stage(model.size(), [&](std::size_t first, const auto& options) {
    query.first = first;
    if (first == 0) options.each_option(query, look);
    return true;
  });
  if (!(work < beyond_time)) work = 1;
  return work > 0 ? 2 * work / static_cast<double>(request.devices) : 1;
}

/// The plan known before the search, with what this proves; unknown if there was none.
[[nodiscard]] inline outcome<hybrid_cut> start_of(const hybrid_request& request, double bound) {
  if (!request.start) return outcome<hybrid_cut>::unknown({reason::cause::limit_reached});
  hybrid_cut cut = *request.start;
  const bool proved = !(bound < cut.value * (1 - 0x1p-40));
  cut.bound = proved ? cut.value : bound;
  return proved ? outcome<hybrid_cut>::optimal(std::move(cut)) : outcome<hybrid_cut>::feasible(std::move(cut));
}

/// If no plan was found, because there are too many or the limits are low: the plan with the smallest length,
/// simulated. It gets the rest of the limits, or a quarter of them.
[[nodiscard]] inline outcome<hybrid_cut> shortest(const any_stage_options& model, hybrid_request request, double bound,
                                                  const engine::shared_effort& effort) {
  request.search = effort.share(1, 0.25);
  outcome<hybrid_cut> found = minimize_pipeline_latency(model, request);
  if (!found) return start_of(request, bound);
  found->value = iteration_of(found->stages, request.microbatches);
  if (request.start && !(found->value < request.start->value)) return start_of(request, bound);
  found->bound = bound < found->value ? bound : found->value;
  found->statistics.evaluations = 1;
  return outcome<hybrid_cut>::feasible(*std::move(found));
}

/// The cut found by a search, with its proof.
[[nodiscard]] inline outcome<hybrid_cut> cut_of_search(const hybrid_options& options, const hybrid_request& request,
                                                       const hybrid_search& search, double most) {
  hybrid_cut cut;
  std::size_t device = request.devices;
  for (const auto each : search.best.options) device -= options[each].devices();
  for (std::size_t s = 0; s < search.best.options.size(); ++s) {
    const stage_option& option = options[search.best.options[s]];
    cut.stages.push_back({search.best.points[s], search.best.points[s + 1], device, option});
    device += option.devices();
  }
  cut.value = search.makespan;
  const double found = search.bound();
  const double bound = found < most ? found : most;  // options that make it longer were left out
  const bool proved = !(bound < cut.value * (1 - 0x1p-40));
  cut.bound = proved ? cut.value : bound;
  cut.statistics.searches = search.looked_at;
  cut.statistics.evaluations = search.simulations;
  return proved ? outcome<hybrid_cut>::optimal(std::move(cut)) : outcome<hybrid_cut>::feasible(std::move(cut));
}

}  // namespace detail

STAGECUT_DECL outcome<hybrid_cut> minimize_hybrid_fn::search(const detail::any_stage_options& model,
                                                             const hybrid_request& request) {
  using answer = outcome<hybrid_cut>;
  detail::check_hybrid_request("minimize_hybrid", model.size(), model.period(), request);
  if (request.in_flight_rule != in_flight_rule::stages) {
    detail::fail(
        argument_error("minimize_hybrid", "request.in_flight", "replicas", "must be `stages`, as 1F1B keeps them"));
  }
  const std::size_t most_stages = model.size() < request.devices ? model.size() : request.devices;
  const std::size_t few = request.stages ? *request.stages : 1;
  const std::size_t many = request.stages ? *request.stages : most_stages;
  if (const auto why = detail::too_few_points(model.size(), request)) return answer::infeasible(*why);
  if (request.start && !(request.start->value > 0)) return detail::start_of(request, request.start->value);
  return detail::recorded(request, [&](const hybrid_request& asked) { return solved(model, asked, few, many); });
}

STAGECUT_DECL outcome<hybrid_cut> minimize_hybrid_fn::solved(const detail::any_stage_options& model,
                                                             const hybrid_request& request, std::size_t few,
                                                             std::size_t many) {
  using answer = outcome<hybrid_cut>;
  const engine::shared_effort effort(request.search);
  const search_options limits = effort.share(1);
  engine::search_clock clock(limits);
  const detail::hybrid_limits rules{request.devices, request.microbatches, request.at_most, request.memory_limit.for_all()};
  const auto passes = static_cast<double>(request.microbatches);
  const double known = request.start ? request.start->value : detail::beyond_time;
  const double longest_pass = known / passes * (1 + 0x1p-40);  // of useful plans
  double pass = detail::first_pass(model, request);
  for (;; pass *= 2) {
    pass = pass < longest_pass ? pass : longest_pass;
    const detail::hybrid_options options(model, request.devices, request.memory_limit.for_all(), pass, clock);
    if (clock.look()) return detail::start_of(request, 0);
    const double longest = options.longest_iteration(many, request.microbatches);
    const bool all = !(pass < longest_pass) || (options.complete() && !(longest > passes * pass));
    detail::hybrid_search search(options, rules, few, many, clock, known);
    const double most = passes * pass;
    search.run(most);
    const bool any = !search.best.options.empty();
    // A plan that ends after the target may be worse than one with slower options.
    if (any && (all || clock.over() || !(search.makespan > most)))
      return detail::cut_of_search(options, request, search, most);
    if (any && search.makespan > 2 * most) pass = search.makespan / passes / 2;
    const bool over = clock.look();
    if (request.start && over) return detail::start_of(request, search.bound() < most ? search.bound() : most);
    if (over || (all && !search.complete())) {
      return detail::shortest(model, request, search.bound(), effort);
    }
    if (all && request.start) return detail::start_of(request, search.bound());
    if (all) return answer::infeasible(detail::explain_infeasible_hybrid(model, request));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI
