// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/cost/parts/any_constraint.hpp>
#include <stagecut/cost/parts/any_stage_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/leximax_program.hpp>
#include <stagecut/sequence/detail/on_blocks.hpp>
#include <stagecut/sequence/detail/stage_program.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `minimize_leximax`.
struct minimize_leximax_fn : detail::expects_cost_and_constraint {
  using detail::expects_cost_and_constraint::operator();

  /// See `minimize_leximax`.
  /// @{
  template <stage_cost Model, stage_constraint Constraint = detail::no_constraint>
  [[nodiscard]] outcome<chain_partition<std::vector<cost_t<Model>>>> operator()(
      const Model& cost, std::size_t stages, const Constraint& allowed = {}, const search_options& limits = {}) const {
    if (stages == 0) detail::fail(argument_error("minimize_leximax", "stages", "0", "must be at least 1"));
    detail::check_limits("minimize_leximax", limits);
    if constexpr (detail::cuts_only<Constraint>) {
      return detail::on_blocks(cost, stages, allowed,
                               [&](const auto& merged) { return (*this)(merged, stages, limits); });
    } else {
      return detail::recorded_search(limits,
                                     [&](const search_options& asked) { return solved(cost, stages, allowed, asked); });
    }
  }

  template <stage_cost Model>
  [[nodiscard]] outcome<chain_partition<std::vector<cost_t<Model>>>> operator()(const Model& cost, std::size_t stages,
                                                                                const search_options& limits) const {
    return (*this)(cost, stages, detail::no_constraint(), limits);
  }
  /// @}

 private:
  template <class Model, class Constraint>
  static outcome<chain_partition<std::vector<cost_t<Model>>>> solved(const Model& cost, std::size_t stages,
                                                                     const Constraint& allowed,
                                                                     const search_options& limits) {
    using answer = outcome<chain_partition<std::vector<cost_t<Model>>>>;
    detail::chain_clock clock(limits);
    const auto first = minimize_bottleneck(cost, stages, allowed);
    if (!first) return answer::infeasible(first.why());
    auto best = least(cost, stages, allowed, first->value, clock);
    if (best) return answer::optimal(*std::move(best));
    // A limit was reached, or a cost breaks its promises: return the cuts with the smallest bottleneck.
    std::vector<cost_t<Model>> costs;
    for (std::size_t s = 0; s < stages; ++s) {
      costs = leximax()(costs, leximax()(detail::price(cost, s, first->cuts[s], first->cuts[s + 1])));
    }
    return answer::feasible({{std::move(costs), {first->value}}, first->cuts});
  }

  /// The best cuts with at most that `bottleneck`; none if a limit was reached first.
  template <class Model, class Constraint>
  static std::optional<chain_partition<std::vector<cost_t<Model>>>> least(const Model& cost, std::size_t stages,
                                                                          const Constraint& allowed,
                                                                          const cost_t<Model>& bottleneck,
                                                                          detail::chain_clock& clock) {
    using number = cost_t<Model>;
    using promised = axiom<enable_axioms<Model>.bits & monotone.bits>;
    const auto price = [&](std::size_t s, std::size_t first, std::size_t last) -> number {
      return detail::price(cost, s, first, last);
    };
    const detail::any_stage_cost<promised, number> any(price, cost.size());
    const number cap = detail::as_bound(bottleneck);
    if constexpr (promises<Model, right_monotone>) {
      return detail::leximax_program(any, stages, cap, allowed, clock).run();
    } else {
      const all_of both(detail::constraint_ref{allowed}, at_most(any, cap));
      const detail::any_constraint within(both);
      return detail::stage_program(any, stages, leximax(), within, empty_stages::forbidden, std::nullopt, &clock).run();
    }
  }
};

/// Cuts a chain into `stages` non-empty stages that minimize the costliest stage, then the second costliest, and so on:
/// no stage can become cheaper except at the expense of one that costs as much or more.
///
/// @param cost     costs as for `minimize_bottleneck`
/// @param stages   number of stages k, at least 1
/// @param allowed  optional: which intervals may be stages, a `stage_constraint`
/// @param limits   optional: limits and callbacks of the search after the smallest bottleneck is known
/// @return         optimal, with the costs of the stages in decreasing order as cost and bound; feasible if a limit was
///                 reached: a cut with the smallest bottleneck, which is the bound; or infeasible, as
///                 `minimize_bottleneck`
/// @throws         argument_error if `stages == 0`, and for a time limit that is NaN; whatever `cost`, `allowed` and
///                 `limits` throw
///
/// Exact for the costs as computed. On ties, the lexicographically smallest cuts. Runs `minimize_bottleneck`; then, among
/// the cuts with that bottleneck, for each of k stages and m possible starts, usually few calls of cost and constraint,
/// and at most w, the number of its possible ends. O(k m) memory. m and w are a few items for a monotone cost, unless one
/// item is much heavier than the mean. For a cost that is not right-monotone: O(k m w) calls, and comparisons and memory
/// of O(k) costs for each possible start.
inline constexpr minimize_leximax_fn minimize_leximax{};

}  // namespace stagecut::inline STAGECUT_ABI
