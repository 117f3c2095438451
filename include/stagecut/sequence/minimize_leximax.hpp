// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/chain_partition.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/stage_program.hpp>

namespace stagecut::inline v0 {

/// See `minimize_leximax`.
struct minimize_leximax_fn {
  /// See `minimize_leximax`.
  template <stage_cost Model, stage_constraint Constraint = detail::no_constraint>
  [[nodiscard]] outcome<chain_partition<std::vector<cost_t<Model>>>> operator()(const Model& cost, std::size_t stages,
                                                                                const Constraint& allowed = {}) const {
    using answer = outcome<chain_partition<std::vector<cost_t<Model>>>>;
    if (stages == 0) detail::fail(argument_error("minimize_leximax", "stages", "0", "must be at least 1"));
    const auto first = minimize_bottleneck(cost, stages, allowed);
    if (!first) return answer::infeasible(first.why());
    const at_most cap(cost, detail::as_bound(first->cost));
    const all_of within(detail::constraint_ref{allowed}, cap);
    auto best = detail::stage_program(cost, stages, leximax(), within).run();
    if (best) return answer::optimal(*std::move(best));
    // A cost that does not keep its promises: the best for the costliest stage.
    std::vector<cost_t<Model>> costs;
    for (std::size_t s = 0; s < stages; ++s) {
      costs = leximax()(costs, leximax()(detail::price(cost, s, first->cuts[s], first->cuts[s + 1])));
    }
    return answer::feasible({first->cuts, costs, {first->cost}});
  }
};

/// Cuts a chain into `stages` non-empty stages so that the costliest stage is as cheap as possible, then the second
/// costliest, and so on: no stage can be made cheaper but at the expense of one that costs as much or more.
///
/// @param cost     what items cost as a stage, as of `minimize_bottleneck`
/// @param stages   number of stages k, at least 1
/// @param allowed  optional: which items may be a stage, a `stage_constraint`
/// @return         optimal, with the costs of the stages, the costliest first, as cost and bound; or infeasible, as
///                 `minimize_bottleneck`
/// @throws         argument_error if `stages == 0`; whatever `cost` and `allowed` throw
///
/// Exact for the costs as computed. Among the best cuts the lexicographically smallest. `minimize_bottleneck` first;
/// then, of the cuts with that bottleneck, O(k m w) calls of cost and constraint and comparisons of O(k), where m is
/// the number of places where a cut point can be, w that of the ends that a stage can have: few items for a monotone
/// cost, unless one item is much heavier than the mean. O(k m) costs of memory for each of k stages.
inline constexpr minimize_leximax_fn minimize_leximax{};

}  // namespace stagecut::inline v0
