// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/stage_program.hpp>
#include <stagecut/sequence/parts/explain_infeasible.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

// Names for compiler errors about calls without an isotone objective.
struct not_isotone_call_minimize_range_or_minimize_bottleneck_then_or_minimize_variance;
struct an_objective_has_values_of_a_cost_and_of_two_values_ordered_by_less;

}  // namespace detail

/// See `minimize_objective`.
struct minimize_objective_fn : detail::expects_cost {
  using detail::expects_cost::operator();

  /// See `minimize_objective`.
  /// @{
  template <stage_cost Model, class Objective, stage_constraint Constraint = detail::no_constraint>
  requires isotone_objective<Objective, cost_t<Model>>
  [[nodiscard]] outcome<chain_partition<value_t<Objective, cost_t<Model>>>> operator()(
      const Model& cost, std::size_t stages, const Objective& goal, const Constraint& allowed = {}) const {
    using answer = outcome<chain_partition<value_t<Objective, cost_t<Model>>>>;
    if (stages == 0) detail::fail(argument_error("minimize_objective", "stages", "0", "must be at least 1"));
    const std::size_t items = cost.size();
    if (stages > items) return answer::infeasible({reason::cause::more_stages_than_layers, stages, items});
    auto best = detail::stage_program<Model, Objective, Constraint>(cost, stages, goal, allowed).run();
    return best ? answer::optimal(*std::move(best))
                : answer::infeasible(detail::explain_infeasible(allowed, items, stages));
  }

  // A dynamic program would miss the best cuts. If the objective is isotone: using axioms = stagecut::axioms<isotone>.
  template <stage_cost Model, class Objective, class... Rest>
  requires(objective<Objective, cost_t<Model>> && !promises<Objective, isotone>)
      detail::not_isotone_call_minimize_range_or_minimize_bottleneck_then_or_minimize_variance  //
      operator()(const Model&, std::size_t, const Objective&, const Rest&...) const = delete;  // call minimize_range, …
  template <stage_cost Model, class NoObjective, class... Rest>
  requires(!objective<NoObjective, cost_t<Model>>)
      detail::an_objective_has_values_of_a_cost_and_of_two_values_ordered_by_less                //
      operator()(const Model&, std::size_t, const NoObjective&, const Rest&...) const = delete;  // o(c), o(a, b), a < b
  /// @}
};

/// Cuts a chain into `stages` non-empty stages that minimize any isotone objective.
///
/// @param cost     costs of intervals as stages, without any promises; may depend on the stage
/// @param stages   number of stages k, at least 1
/// @param goal     `bottleneck{}`, `total{}`, `leximax{}`, `in_order{a, b}`, or your own `isotone_objective`. An
///                 objective that does not promise `isotone` does not compile
/// @param allowed  optional: which intervals may be stages, a `stage_constraint`
/// @return         optimal, with the value as cost and bound; infeasible: `more_stages_than_layers` if k > n,
///                 `constraint` if no cut has only allowed stages
/// @throws         argument_error if `stages == 0`; whatever `cost`, `goal` and `allowed` throw
///
/// Exact for the values as computed. On ties, the lexicographically smallest cuts, unless rounding makes the value depend
/// on the order in which parts are combined. O(k n w) calls of cost and constraint, where w is n, or the number of items
/// of the widest stage that neither the constraint nor the objective excludes as hopeless; memory for O(k n) values.
///
/// Source: R. Bellman, Dynamic Programming, Princeton, 1957: the principle of optimality.
inline constexpr minimize_objective_fn minimize_objective{};

}  // namespace stagecut::inline STAGECUT_ABI
