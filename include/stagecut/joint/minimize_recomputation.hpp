// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/recompute_search.hpp>
#include <stagecut/joint/detail/why_no_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `minimize_recomputation`.
struct minimize_recomputation_fn {
  /// See `minimize_recomputation`.
  [[nodiscard]] outcome<recompute_plan> operator()(const recompute_model& model,
                                                   const recompute_request& request) const {
    using answer = outcome<recompute_plan>;
    detail::check_recompute_request("minimize_recomputation", model, request);
    const std::size_t stages = request.order.stages();
    if (detail::least_layers_in_all(request) > model.layers.size()) {
      return answer::infeasible(detail::why_too_few_layers(model, request));
    }
    const bool splits = detail::splits_backward(request.order);
    const bool differ = detail::buffers_differ(model, request);
    detail::recompute_search search(model, request, detail::least_messages(model, request), splits,
                                    !request.links.empty() && stages > 1, !differ);
    using found = detail::recompute_search::found;
    const found what = search.run();
    if (what == found::nothing) return answer::unknown({reason::cause::limit_reached});
    if (what == found::none_exists && differ) {
      return answer::unknown({reason::cause::constraint, 0, 0, "none was found with the largest buffers at all ends"});
    }
    if (what == found::none_exists) return answer::infeasible(detail::why_no_recomputation(model, request));
    recompute_plan plan = told(model, request, search, differ);
    return plan.bound < plan.makespan ? answer::feasible(std::move(plan)) : answer::optimal(std::move(plan));
  }

 private:
  static recompute_plan told(const recompute_model& model, const recompute_request& request,
                             detail::recompute_search& search, bool buffers_differ) {
    recompute_plan plan;
    std::vector<std::size_t> points{0};
    for (const std::size_t each : search.counts()) points.push_back(points.back() + each);
    plan.cuts = cuts(points, empty_stages::allowed);
    plan.choices.resize(model.layers.size());
    for (std::size_t s = 0; s < request.order.stages(); ++s) {
      auto left = search.ways_of(s);
      for (std::size_t i = points[s]; i < points[s + 1]; ++i) {
        plan.choices[i] = detail::next_choice(model.types[model.layers[i]], left[model.layers[i]]);
      }
    }
    const recompute_run run = simulate_recomputation(model, request, plan.cuts, plan.choices);
    plan.makespan = run.makespan;
    plan.memory = run.memory;
    // Times were rounded, or messages taken at their least.
    const bool same = search.makespan() >= plan.makespan * (1 - 0x1p-40);
    const bool exact = search.error() <= plan.makespan * 0x1p-30;
    const bool proved = search.proved() && same && exact && !buffers_differ;
    // Plans were left out whose buffers are less than the largest.
    const double least = (buffers_differ ? search.bound_of_work() : search.bound()) - search.error();
    plan.bound = proved || least > plan.makespan ? plan.makespan : least > 0 ? least : 0;
    plan.nodes = search.clock().state.nodes;
    plan.simulations = search.simulations();
    return plan;
  }
};

/// Deals the layers of a chain out to stages, and chooses how each is recomputed, so that no rank exceeds its memory and an
/// iteration ends as early as possible: the makespan that `simulate` tells, not the time of the slowest stage.
///
/// @param model    layers with the choices of each
/// @param request  the order of passes, of one stage a rank or several; memory; messages; whether stages may be empty
/// @return         optimal, with `makespan == bound`; feasible, with a bound, if a limit was reached first; infeasible:
///                 `more_stages_than_layers`, or `memory` with what would do; unknown if a limit was reached before any
///                 plan was found
/// @throws         argument_error for a request that makes no sense; invalid_input for a model that makes none, and as
///                 `check_schedule`
///
/// A rank needs its constant, what stays of its layers, the workspace of the layer of every stage that needs most, and the
/// activations of all microbatches in flight, at their peak in the order of its passes. A limit that is met exactly is kept to.
///
/// Exact where all times are multiples of a power of ten and an iteration of the slowest choices sums to less than 2^50 of
/// it, else to 2^-30 of that sum. Where layers are of several types and ranks have three stages or more, or many layers
/// differ, there may be too many options for a proof: then plans are found by annealing alone, and the bound is that of the
/// work. Where layers hand on different numbers of bytes, the search takes messages at their least and buffers at their
/// most: then nothing is proved of buffers, the bound is that of the work, and progress tells makespans with the least
/// messages. Of plans that are equally good it returns the one found first: the same every time, if no limit but
/// `node_limit` is reached.
///
/// Source: docs/recomputation.md derives the options, bounds and the search.
inline constexpr minimize_recomputation_fn minimize_recomputation{};

}  // namespace stagecut::inline STAGECUT_ABI
