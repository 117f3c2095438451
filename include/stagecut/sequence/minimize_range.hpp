// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/detail/expects_cost.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/sequence/chain_limits.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/on_blocks.hpp>
#include <stagecut/sequence/detail/range_probe.hpp>
#include <stagecut/sequence/detail/stage_windows.hpp>
#include <stagecut/sequence/detail/why_not.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

namespace stagecut::inline v0 {

namespace detail {

/// The search for the cut whose stages differ the least, through all costs that its costliest stage may have, in
/// ascending order and many of them at a time.
template <arithmetic Cost, class Probe>
class range_search {
 public:
  /// @param start  the cut points of some cut
  /// @param cap    no stage may cost more
  range_search(Probe& probe, view<const std::size_t> start, Cost cap, chain_clock& clock)
      : probe_(probe), clock_(clock), cap_(cap), ceiling_(probe.chain()(0, probe.chain().size())) {
    best_.points.assign(start.begin(), start.end());
    best_.measure(probe.chain());
  }

  /// The lexicographically smallest of the best cuts; the costliest stage of no cut costs less than `bottleneck`.
  [[nodiscard]] const measured_cut<Cost>& run(Cost bottleneck) {
    from_ = bottleneck;
    narrow();
    proved_ = sweep<false>(bottleneck);
    if (proved_) sweep<true>(bottleneck);
    return best_;
  }

  /// Whether no cut has less.
  [[nodiscard]] bool proved() const { return proved_; }

  /// No cut has less than that: the costliest stage of a better one costs as much as was looked at, and the cheapest no
  /// more than it can in any cut.
  [[nodiscard]] Cost bound() {
    if (proved_) return best_.range();
    auto low = ordered_bits(Cost{});
    auto high = ordered_bits(ceiling_);
    while (low < high) {
      const auto middle = static_cast<decltype(low)>(high - (high - low) / 2);
      if (probe_.at_least(from_ordered_bits<Cost>(middle))) {
        low = middle;
      } else {
        high = static_cast<decltype(low)>(middle - 1);
      }
    }
    const Cost cheapest = from_ordered_bits<Cost>(low);
    if (!(cheapest < from_)) return Cost{};
    const auto least = static_cast<Cost>(as_computed(from_ - cheapest));
    return least < best_.range() ? least : best_.range();
  }

 private:
  /// Looks for a better cut: one whose range is less, or the same if `Ties` and the cut points are smaller.
  ///
  /// All the time, no better cut has a costliest stage that costs less than `from`. If it costs from that much up to
  /// `top`, then the cheapest stage of a better cut costs at least what it must beside a costliest one of `from`: one
  /// probe tells whether there are stages between there and `top`, and if not, all these costs are done with. If so,
  /// but the cut that it finds is not better, then there may be another one: fewer costs are tried at a time.
  ///
  /// Whether all of them were tried before the clock ended it.
  template <bool Ties>
  bool sweep(Cost from) {
    Cost wall = from;  // a cost that stops larger steps: it is tried by itself
    Cost step = static_cast<Cost>(best_.range() / 16);
    while (Ties || Cost{} < best_.range()) {
      const Cost least = least_beside<Ties>(from);
      if (clock_.look(0)) return false;
      if (!probe_.at_least(least)) return true;
      const bool single = from == wall;
      Cost top = single ? from : (step < cap_ - from ? static_cast<Cost>(as_computed(from + step)) : cap_);
      if (from < wall && wall <= top) top = neighbour(wall, false);
      const bool any = probe_.find(least, top) && (!Ties || probe_.found.points < best_.points);
      if (clock_.was_over()) return false;
      const bool better = any && (Ties ? probe_.found.range() <= best_.range() : probe_.found.range() < best_.range());
      if (better) best_ = probe_.found;
      if (any && (!Ties || !better)) {
        if (better) {
          narrow();
        } else if (from < probe_.found.highest) {
          wall = probe_.found.highest;
          step = static_cast<Cost>((wall - from) / 2);
        } else {
          return true;  // only if numbers are not what they should be
        }
        continue;
      }
      if (!(top < cap_)) return true;
      from = neighbour(top, true);
      if (!Ties) from_ = from;
      if (single) continue;
      const Cost unit = static_cast<Cost>(from - top);
      step = step < (cap_ - from) / 4 ? static_cast<Cost>(step + step + unit) : cap_;
    }
    return true;
  }

  /// Tries how much more the cheapest stage can cost beside the costliest one of the best cut, by halves. Not needed,
  /// but better cuts leave less to look at.
  void narrow() {
    Cost high = ceiling_;
    int finds = 0;
    for (int round = 0; round < 32 && finds < 8 && !clock_.look(0); ++round) {
      const Cost least = static_cast<Cost>(best_.lowest + (high - best_.lowest) / 2);
      if (!(best_.lowest < least && least < high)) return;
      if (!probe_.at_least(least)) {
        high = ceiling_ = least;
        continue;
      }
      ++finds;
      if (probe_.find(least, best_.highest) && probe_.found.range() < best_.range()) {
        best_ = probe_.found;
      } else {
        high = least;
      }
    }
  }

  /// The least that the cheapest stage can cost in a better cut whose costliest costs `highest`.
  template <bool Ties>
  [[nodiscard]] Cost least_beside(Cost highest) const {
    auto low = ordered_bits(Cost{});
    auto high = ordered_bits(highest);
    while (low < high) {
      const auto middle = static_cast<decltype(low)>(low + (high - low) / 2);
      const auto range = static_cast<Cost>(as_computed(highest - from_ordered_bits<Cost>(middle)));
      if (Ties ? range <= best_.range() : range < best_.range()) {
        high = middle;
      } else {
        low = static_cast<decltype(low)>(middle + 1);
      }
    }
    return from_ordered_bits<Cost>(low);
  }

  /// The number before or behind `x`.
  [[nodiscard]] static Cost neighbour(Cost x, bool behind) {
    const auto bits = ordered_bits(x);
    return from_ordered_bits<Cost>(static_cast<std::remove_cv_t<decltype(bits)>>(behind ? bits + 1U : bits - 1U));
  }

  Probe& probe_;
  chain_clock& clock_;
  bool proved_ = false;
  Cost from_{};  // no better cut has a costliest stage that costs less
  Cost cap_;
  Cost ceiling_;  // no cut has a cheapest stage that costs that much, unless all do
  measured_cut<Cost> best_;
};

}  // namespace detail

/// See `minimize_range`.
struct minimize_range_fn : detail::expects_cost {
  using detail::expects_cost::operator();

  /// See `minimize_range`.
  /// @{
  template <additive_cost Model, stage_constraint Constraint = detail::no_constraint>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages,
                                                                   const Constraint& allowed = {},
                                                                   const chain_limits& limits = {}) const {
    using answer = outcome<chain_partition<cost_t<Model>>>;
    using number = cost_t<Model>;
    if (stages == 0) detail::fail(argument_error("minimize_range", "stages", "0", "must be at least 1"));
    const std::size_t items = cost.size();
    if (stages > items) return answer::infeasible({reason::cause::more_stages_than_layers, stages, items});
    if constexpr (detail::cuts_only<Constraint>) {
      return detail::on_blocks(cost, stages, allowed,
                               [&](const auto& merged) { return (*this)(merged, stages, limits); });
    } else {
      detail::chain_clock clock(limits);
      const detail::known_prefixes<number> chain(cost);
      if constexpr (std::same_as<Constraint, at_most<Model>>) {
        if (__builtin_addressof(allowed.cost()) == __builtin_addressof(cost)) {
          auto best = free(chain, stages, allowed.bound(0), clock);
          return best ? best : answer::infeasible(detail::why_not(allowed, items, stages));
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
  }

  template <additive_cost Model>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages,
                                                                   const chain_limits& limits) const {
    return (*this)(cost, stages, detail::no_constraint(), limits);
  }
  /// @}

 private:
  /// Without a constraint but that no stage may cost more than `cap`.
  template <class Cost>
  static outcome<chain_partition<Cost>> free(const detail::known_prefixes<Cost>& chain, std::size_t stages, Cost cap,
                                             detail::chain_clock& clock) {
    const auto start = minimize_bottleneck(chain, stages);
    if (!(start->cost <= cap)) return {};
    const Cost all = chain(0, chain.size());
    detail::range_probe probe(chain, stages);
    return search(probe, *start, cap < all ? cap : all, clock);
  }

  template <class Cost, class Probe>
  static outcome<chain_partition<Cost>> search(Probe& probe, const chain_partition<Cost>& start, Cost cap,
                                               detail::chain_clock& clock) {
    using answer = outcome<chain_partition<Cost>>;
    detail::range_search<Cost, Probe> search(probe, start.cuts.points(), cap, clock);
    const auto& best = search.run(start.cost);
    chain_partition<Cost> found{cuts(best.points), best.range(), search.bound()};
    return search.proved() ? answer::optimal(std::move(found)) : answer::feasible(std::move(found));
  }
};

/// Cuts a chain into `stages` contiguous non-empty stages that differ as little as possible: the difference between the
/// costliest and the cheapest stage is the least.
///
/// @param cost     a sum over the items: `prefix_sums`, `block_sums`, or an `additive_cost` of your own
/// @param stages   number of stages k, at least 1
/// @param allowed  optional: which items may be a stage, a `stage_constraint`. `at_most(cost, bound)` of the same
///                 object is no slower than none: with the least bottleneck as the bound, the best of the best cuts
/// @param limits   optional: how long to search once the least bottleneck is known, and whom to tell
/// @return         optimal, with the difference as cost and bound; feasible if a limit was reached, with the best cut so
///                 far and what no cut is below; infeasible, `more_stages_than_layers` if k > n, `constraint` if no cut
///                 has allowed stages only
/// @throws         argument_error if `stages == 0`; whatever `cost`, `allowed` and `limits` throw
///
/// Exact for the differences of costs as computed, rounding included. Among the optimal cuts it returns the
/// lexicographically smallest, unless a limit is reached after the least difference was proved. Such a cut may have a costliest stage above the least bottleneck: a pipeline is as slow
/// as its slowest stage, so ask for this only if stages shall be alike. No dynamic program over cuts finds it: which of
/// two beginnings is the better depends on the stages to come.
///
/// n + 1 calls of `cost.prefix`, none of `cost` but by the constraint. A probe is O(k log n), and O(1) for each item at
/// which a cut point can lie; with a constraint other than forbidden cuts O(k w) calls of it as a rule, O(k w²) where it
/// leaves little, w the items where one cut point can lie.
/// As a rule 1 to 300 probes, thousands if items are of very different sizes. O(n) memory, O(k w) more with a
/// constraint. Deterministic; thread-safe.
///
/// Source: M. Lucertini, Y. Perl and B. Simeone, Discrete Applied Mathematics 42(2-3):227-256, 1993, for the problem;
/// T. Ito, X. Zhou and T. Nishizeki, J. Discrete Algorithms 4(1):142-154, 2006, for cuts between two bounds. That they
/// can have any number of stages between the fewest and the most, the windows and the search for the bounds are added.
inline constexpr minimize_range_fn minimize_range{};

}  // namespace stagecut::inline v0
