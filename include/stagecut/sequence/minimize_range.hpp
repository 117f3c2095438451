// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/on_blocks.hpp>
#include <stagecut/sequence/detail/range_probe.hpp>
#include <stagecut/sequence/detail/range_search.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>
#include <stagecut/sequence/parts/explain_infeasible.hpp>
#include <stagecut/sequence/parts/stage_windows.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `minimize_range`.
struct minimize_range_fn : detail::expects_additive_cost {
  using detail::expects_additive_cost::operator();

  /// See `minimize_range`.
  /// @{
  template <additive_cost Model, stage_constraint Constraint = detail::no_constraint>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages,
                                                                   const Constraint& allowed = {},
                                                                   const search_options& limits = {}) const {
    using answer = outcome<chain_partition<cost_t<Model>>>;
    if (stages == 0) detail::fail(argument_error("minimize_range", "stages", "0", "must be at least 1"));
    detail::check_limits("minimize_range", limits);
    const std::size_t items = cost.size();
    if (stages > items) return answer::infeasible({reason::cause::more_stages_than_layers, stages, items});
    if constexpr (detail::cuts_only<Constraint>) {
      return detail::on_blocks(cost, stages, allowed,
                               [&](const auto& merged) { return (*this)(merged, stages, limits); });
    } else {
      return detail::recorded_search(limits, [&](const search_options& asked) {
        detail::chain_clock clock(asked);
        return solved(cost, stages, allowed, clock);
      });
    }
  }
  template <additive_cost Model>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages,
                                                                   const search_options& limits) const {
    return (*this)(cost, stages, detail::no_constraint(), limits);
  }
  /// @}

 private:
  template <additive_cost Model, class Constraint>
  static outcome<chain_partition<cost_t<Model>>> solved(const Model& cost, std::size_t stages,
                                                        const Constraint& allowed, detail::chain_clock& clock) {
    using answer = outcome<chain_partition<cost_t<Model>>>;
    using number = cost_t<Model>;
    const std::size_t items = cost.size();
    const detail::known_prefixes<number> chain(cost);
    if constexpr (std::same_as<Constraint, at_most<Model>> || std::same_as<Constraint, at_most<const Model&>>) {
      const Model& bounded = allowed.cost();
      if (__builtin_addressof(bounded) == __builtin_addressof(cost) || is_same(chain, bounded)) {
        auto best = free(chain, stages, allowed.bound(0), clock);
        return best ? best : answer::infeasible(detail::explain_infeasible(allowed, items, stages));
      }
    }
    if constexpr (std::same_as<Constraint, detail::no_constraint>) {
      return free(chain, stages, chain(0, items), clock);
    } else {
      auto start = minimize_bottleneck(chain, stages, allowed);
      if (!start) return start;
      detail::constrained_range_probe probe(chain, stages, allowed, clock);
      return search(probe, *start, chain(0, items), clock);
    }
  }

  /// Whether a cost has the prefixes of this chain.
  template <additive_cost Model>
  static bool is_same(const detail::known_prefixes<cost_t<Model>>& chain, const Model& cost) {
    if (chain.size() != cost.size()) return false;
    std::size_t i = 0;
    while (i <= chain.size() && chain.prefix(i) == cost.prefix(i)) ++i;
    return i > chain.size();
  }

  /// Without a constraint, except that no stage may cost more than `cap`.
  template <class Cost>
  static outcome<chain_partition<Cost>> free(const detail::known_prefixes<Cost>& chain, std::size_t stages, Cost cap,
                                             detail::chain_clock& clock) {
    const auto start = minimize_bottleneck(chain, stages);
    if (!(start->value <= cap)) return {};
    const Cost all = chain(0, chain.size());
    detail::range_probe probe(chain, stages);
    return search(probe, *start, cap < all ? cap : all, clock);
  }

  template <class Cost, class Probe>
  static outcome<chain_partition<Cost>> search(Probe& probe, const chain_partition<Cost>& start, Cost cap,
                                               detail::chain_clock& clock) {
    using answer = outcome<chain_partition<Cost>>;
    detail::range_search<Cost, Probe> search(probe, start.cuts.points(), cap, clock);
    const auto& best = search.run(start.value);
    chain_partition<Cost> found{{best.range(), search.bound()}, cuts(best.points)};
    return search.proved() ? answer::optimal(std::move(found)) : answer::feasible(std::move(found));
  }
};

/// Cuts a chain into `stages` contiguous non-empty stages with the smallest difference between the costliest and the
/// cheapest stage.
///
/// @param cost     a sum over the items: `prefix_sums`, `block_sums`, or your own `additive_cost`
/// @param stages   number of stages k, at least 1
/// @param allowed  optional: which intervals may be stages, a `stage_constraint`. `at_most(cost, bound)` of the same
///                 sums is as fast as no constraint: with the smallest bottleneck as the bound, it selects the best of
///                 the bottleneck-optimal cuts
/// @param limits   optional: limits and callbacks of the search after the smallest bottleneck is known
/// @return         optimal, with the difference as cost and bound; feasible if a limit was reached, with the best cut so
///                 far and a lower bound; infeasible: `more_stages_than_layers` if k > n, `constraint` if no cut has only
///                 allowed stages
/// @throws         argument_error if `stages == 0`, and for a time limit that is NaN; whatever `cost`, `allowed` and
///                 `limits` throw
///
/// Exact for the differences of costs as computed, rounding included. On ties, the lexicographically smallest optimal
/// cuts, unless a limit is reached after the smallest difference was proved. The result may exceed the smallest
/// bottleneck, and a pipeline is as slow as its slowest stage, so use this only for equal stages. No dynamic program over
/// cuts finds it: which of two prefixes is better depends on the later stages.
///
/// n + 1 calls of `cost.prefix`, and of a bounded cost's `prefix`; only the constraint calls `cost`. A probe is O(k log n), plus O(1) for each item at
/// which a cut point can lie; with a constraint other than forbidden cuts usually O(k w) calls of it, O(k w²) if it is
/// tight, where w is the number of candidates of one cut point. Usually 1 to 300 probes, thousands if item sizes differ
/// widely. O(n) memory, plus O(k w) with a constraint. Deterministic; thread-safe.
///
/// Source: M. Lucertini, Y. Perl and B. Simeone, Discrete Applied Mathematics 42(2-3):227-256, 1993, for the problem; T.
/// Ito, X. Zhou and T. Nishizeki, J. Discrete Algorithms 4(1):142-154, 2006, for cuts between two bounds. Additions: that
/// such cuts exist for any number of stages between the fewest and the most, the windows, and the search for the bounds.
inline constexpr minimize_range_fn minimize_range{};

}  // namespace stagecut::inline STAGECUT_ABI
