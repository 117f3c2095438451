// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/detail/hybrid_search.hpp>
#include <stagecut/joint/detail/hybrid_simulator.hpp>
#include <stagecut/joint/detail/why_no_hybrid.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/minimize_pipeline_length.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/makespan/detail/search_clock.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `minimize_hybrid`.
struct minimize_hybrid_fn {
  /// See `minimize_hybrid`.
  template <stage_option_model Model>
  [[nodiscard]] outcome<hybrid_cut> operator()(const Model& model, const hybrid_request& request) const {
    using answer = outcome<hybrid_cut>;
    detail::check_hybrid_request("minimize_hybrid", model.size(), detail::period_of(model), request);
    if (request.in_flight != in_flight_rule::stages) {
      detail::fail(
          argument_error("minimize_hybrid", "request.in_flight", "replicas", "must be `stages`, as 1F1B keeps them"));
    }
    const std::size_t most_stages = model.size() < request.devices ? model.size() : request.devices;
    const std::size_t few = request.stages ? *request.stages : 1;
    const std::size_t many = request.stages ? *request.stages : most_stages;
    if (const auto why = detail::too_few_points(model.size(), request)) return answer::infeasible(*why);
    detail::search_clock clock(request.limits);
    const detail::hybrid_limits rules{request.devices, request.microbatches, request.at_most,
                                      request.memory_per_device};
    const auto passes = static_cast<double>(request.microbatches);
    for (double pass = first_pass(model, request);; pass *= 2) {
      const detail::hybrid_options options(model, request.devices, request.memory_per_device, pass, clock);
      if (clock.look()) return answer::unknown({reason::cause::limit_reached});
      const double longest = options.longest_iteration(many, request.microbatches);
      const bool all = options.complete() && !(longest > passes * pass);
      detail::hybrid_search search(options, rules, few, many, clock);
      const double most = passes * pass;
      search.run(most);
      const bool any = search.makespan < detail::beyond_time;
      // A plan that ends later than was looked for may be worse than one of slower options.
      if (any && (all || clock.over() || !(search.makespan > most))) return told(options, request, search, most);
      if (any && search.makespan > 2 * most) pass = search.makespan / passes / 2;
      if (clock.look() || (all && !search.complete())) {
        return shortest(model, request, search.bound(), clock.state.seconds);
      }
      if (all) return answer::infeasible(detail::why_no_hybrid(model, request));
    }
  }

 private:
  /// Seconds of both passes of a microbatch, twice those of a stage if all devices had as much to do, and did it as well as
  /// the best way to run the whole model.
  template <class Model>
  [[nodiscard]] static double first_pass(const Model& model, const hybrid_request& request) {
    double work = detail::beyond_time;
    const auto look = [&](const stage_option& each) {
      const double here = static_cast<double>(each.devices()) * (each.forward + each.backward);
      work = here < work ? here : work;
    };
    stage_query query{0, model.size(), detail::period_of(model)};
    detail::each_stage_to(model, model.size(), [&](std::size_t first, const auto& options) {
      query.first = first;
      if (first == 0) options.each_option(query, look);
      return true;
    });
    if (!(work < detail::beyond_time)) work = 1;
    return work > 0 ? 2 * work / static_cast<double>(request.devices) : 1;
  }

  /// Where no plan was met, because there are too many or time was short: the one of the least length, simulated. It has
  /// what is left of the time after so many seconds, or a quarter of it.
  template <class Model>
  [[nodiscard]] static outcome<hybrid_cut> shortest(const Model& model, hybrid_request request, double bound,
                                                    double seconds) {
    if (auto& limit = request.limits.time_limit) limit = *limit - seconds > *limit / 4 ? *limit - seconds : *limit / 4;
    outcome<hybrid_cut> found = minimize_pipeline_length(model, request);
    if (!found) return outcome<hybrid_cut>::unknown({reason::cause::limit_reached});
    found->cost = detail::iteration_of(found->stages, request.microbatches);
    found->bound = bound < found->cost ? bound : found->cost;
    found->simulations = 1;
    return outcome<hybrid_cut>::feasible(*std::move(found));
  }

  [[nodiscard]] static outcome<hybrid_cut> told(const detail::hybrid_options& options, const hybrid_request& request,
                                                const detail::hybrid_search& search, double most);
};

/// Cuts a model into stages and gives each of them devices, so that no device exceeds its memory and an iteration ends as
/// early as possible: the makespan that `simulate` tells of 1F1B, with the messages between stages, each over a link of
/// its own, and the exchange of gradients of every stage behind its last backward pass.
///
/// @param model    the ways to run every stage; `option.time` does not count
/// @param request  devices, microbatches, memory; the rule of microbatches in flight is `stages`
/// @return         optimal, with `cost == bound`; feasible, with a bound, if a limit was reached first; infeasible:
///                 `more_stages_than_layers`, or `memory` with what would do; unknown if a limit was reached before any
///                 plan was found
/// @throws         argument_error for a request that makes no sense; invalid_input for an option that makes none;
///                 whatever the model throws
///
/// All replicas of a stage share the samples of each microbatch. The number of stages is the best one, unless it is given.
/// Optimal to 2^-40 of the makespan, as sums of doubles are rounded. Of equally good plans it returns the one found first:
/// the same every time, if no limit but `node_limit` is reached. Asks for the options of every stage once, and again
/// with twice the time of a pass if there was no plan.
///
/// Source: docs/hybrid.md derives the bounds and the search.
inline constexpr minimize_hybrid_fn minimize_hybrid{};

}  // namespace stagecut::inline STAGECUT_ABI

#if !defined(STAGECUT_COMPILED)
#include <stagecut/joint/detail/minimize_hybrid.ipp>
#endif
