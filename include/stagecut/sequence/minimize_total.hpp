// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/convex_of.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/allows_cut.hpp>
#include <stagecut/sequence/detail/convex_windows.hpp>
#include <stagecut/sequence/detail/lagrange_total.hpp>
#include <stagecut/sequence/detail/layered_total.hpp>
#include <stagecut/sequence/detail/monge_links.hpp>
#include <stagecut/sequence/detail/on_blocks.hpp>
#include <stagecut/sequence/detail/total_program.hpp>
#include <stagecut/sequence/parts/explain_infeasible.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// An interval or staged cost that is a number, so that costs of stages can be added.
template <class Model>
concept number_cost = (interval_cost<Model> || staged_cost<Model>)&&arithmetic<cost_t<Model>>;

/// Such a cost that is the same on every stage.
template <class Model>
concept invariant_number_cost = number_cost<Model> &&(interval_cost<Model> || promises<Model, stage_invariant>);

/// The cost of each stage apart from its items, for a free number of stages.
template <arithmetic Cost>
struct per_stage {
  Cost cost;  ///< in the unit of the cost model; if negative, more stages are better
};

/// The type, deduced from the argument.
template <arithmetic Cost>
per_stage(Cost) -> per_stage<Cost>;

namespace detail {

/// `convex_of` doubles: the function can be evaluated at means.
template <class Model>
inline constexpr bool convex_of_doubles = false;
template <class Sums, class Function>
inline constexpr bool convex_of_doubles<convex_of<Sums, Function>> =
    std::is_same_v<cost_t<Sums>, double>&& std::is_same_v<cost_t<convex_of<Sums, Function>>, double>;

}  // namespace detail

/// See `minimize_total`.
struct minimize_total_fn : detail::expects_cost_and_constraint {
  using detail::expects_cost_and_constraint::operator();

  /// See `minimize_total`.
  /// @{
  template <number_cost Model>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages) const {
    if (auto refused = too_many(cost, stages)) return *std::move(refused);
    return answer(cost, unconstrained(cost, stages), {});
  }

  template <number_cost Model, stage_constraint Constraint>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages,
                                                                   const Constraint& allowed) const {
    if (auto refused = too_many(cost, stages)) return *std::move(refused);
    if constexpr (detail::cuts_only<Constraint>) {
      return detail::on_blocks(cost, stages, allowed, [&](const auto& merged) { return (*this)(merged, stages); });
    } else {
      return allowed_only(cost, stages, allowed);
    }
  }

  template <invariant_number_cost Model>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost) const {
    return (*this)(cost, per_stage<cost_t<Model>>{});
  }

  template <invariant_number_cost Model, arithmetic Extra>
  requires(integer<Extra> || !integer<cost_t<Model>>) [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(
      const Model& cost, per_stage<Extra> extra) const {
    const std::size_t items = cost.size();
    check(extra);
    const auto added = static_cast<detail::total_t<cost_t<Model>>>(extra.cost);
    if (items == 0) return no_layer<Model>();
    const detail::stage_price<Model> price{cost};
    if constexpr (promises<Model, monge>) {
      using links = detail::monge_links<detail::stage_price<Model>>;
      links all(price, items);
      all.run(added, links::prefer::smallest);
      return answer(cost, all.points(), added);
    } else if constexpr (promises<Model, inverse_monge>) {
      return answer(cost, detail::free_inverse(price, added, items).run(), added);
    } else {
      return answer(cost, *detail::free_program(price, added, detail::no_constraint{}, items), added);
    }
  }

  template <invariant_number_cost Model, arithmetic Extra, stage_constraint Constraint>
  requires(integer<Extra> || !integer<cost_t<Model>>) [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(
      const Model& cost, per_stage<Extra> extra, const Constraint& allowed) const {
    static_assert(promises<Constraint, stage_invariant>,
                  "where the number of stages is free, a stage has no index: the constraint has to promise "
                  "stagecut::stage_invariant, and is asked about stage 0");
    check(extra);
    const auto added = static_cast<detail::total_t<cost_t<Model>>>(extra.cost);
    if (cost.size() == 0) return no_layer<Model>();
    const detail::stage_price<Model> price{cost};
    auto points = detail::free_program(price, added, allowed, cost.size());
    if (!points) return outcome_t<Model>::infeasible({reason::cause::constraint, 0, 0});
    return answer(cost, *std::move(points), added);
  }
  /// @}

 private:
  template <class Model>
  using outcome_t = outcome<chain_partition<cost_t<Model>>>;

  template <class Extra>
  static void check(per_stage<Extra> extra) {
    if (is_finite(extra.cost)) return;
    detail::fail(argument_error("minimize_total", "per_stage.cost", detail::number_text(extra.cost), "must be finite"));
  }

  /// The same under a constraint that may depend on the stage.
  template <class Model, class Constraint>
  static outcome_t<Model> allowed_only(const Model& cost, std::size_t stages, const Constraint& allowed) {
    if constexpr (promises<Model, monge> || promises<Model, inverse_monge>) {
      // Often the unconstrained optimum is allowed.
      auto points = unconstrained(cost, stages);
      if (detail::allows_cut(allowed, points, stages)) return answer(cost, std::move(points), {});
    }
    const detail::stage_price<Model> price{cost};
    auto points = detail::total_program(price, allowed, cost.size(), stages);
    if (!points) return outcome_t<Model>::infeasible(detail::explain_infeasible(allowed, cost.size(), stages));
    return answer(cost, *std::move(points), {});
  }

  template <class Model>
  static outcome_t<Model> no_layer() {
    return outcome_t<Model>::infeasible({reason::cause::more_stages_than_layers, 1, 0});
  }

  template <class Model>
  static std::optional<outcome_t<Model>> too_many(const Model& cost, std::size_t stages) {
    if (stages == 0) detail::fail(argument_error("minimize_total", "stages", "0", "must be at least 1"));
    if (stages <= cost.size()) return std::nullopt;
    return outcome_t<Model>::infeasible({reason::cause::more_stages_than_layers, stages, cost.size()});
  }

  /// With the fastest method that the promises allow.
  template <class Model>
  static std::vector<std::size_t> unconstrained(const Model& cost, std::size_t stages) {
    using price_type = detail::stage_price<Model>;
    const price_type price{cost};
    const std::size_t items = cost.size();
    if constexpr (detail::convex_of_doubles<Model>) {
      const auto prefix = [&](std::size_t i) { return cost.sums().prefix(i); };
      const auto where = detail::convex_windows(prefix, cost.function(), items, stages).run();
      if (detail::narrow(where, items)) return detail::layered_total<false, price_type>(price, where).run();
      return detail::lagrange_total(price, items, stages).run();
    } else if constexpr (promises<Model, monge>) {
      const detail::cut_windows where(items, stages);
      if constexpr (invariant_number_cost<Model>) {
        if (!detail::narrow(where, items)) return detail::lagrange_total(price, items, stages).run();
      }
      return detail::layered_total<false, price_type>(price, where).run();
    } else if constexpr (promises<Model, inverse_monge>) {
      const detail::cut_windows where(items, stages);
      return detail::layered_total<true, price_type>(price, where).run();
    } else {
      return *detail::total_program(price, detail::no_constraint{}, items, stages);
    }
  }

  /// Cuts with their cost.
  template <class Model>
  static outcome_t<Model> answer(const Model& cost, std::vector<std::size_t> points,
                                 detail::total_t<cost_t<Model>> extra) {
    using cost_type = cost_t<Model>;
    using total_type = detail::total_t<cost_type>;
    const detail::stage_price<Model> price{cost};
    const auto count = static_cast<total_type>(points.size() - 1);
    const auto sum = detail::total_of(price, points) + count * extra;
    const auto total = static_cast<cost_type>(sum);
    if constexpr (integer<cost_type>) {
      if (static_cast<total_type>(total) != sum) {
        detail::fail(invalid_input("minimize_total", "the total of the best cut is out of the range of the costs"));
      }
    }
    return outcome_t<Model>::optimal({{total, total}, cuts(std::move(points))});
  }
};

/// Cuts a chain into contiguous, non-empty stages with the smallest total cost.
///
/// @param cost     costs of intervals as stages, numbers: any `interval_cost` or `staged_cost`. The promises `monge` or
///                 `inverse_monge` make it faster
/// @param stages   number of stages k, at least 1
/// @param extra    in place of `stages`: any number of stages, each with an additional cost `per_stage{…}`; 0 if neither
///                 is given. The cost must be the same on every stage
/// @param allowed  optional: which intervals may be stages, a `stage_constraint`; it must promise `stage_invariant` if
///                 the number of stages is free
/// @return         optimal, with `cost == bound`, the total, additional costs included; or infeasible:
///                 `more_stages_than_layers` if k > n (or n = 0), `constraint` if no cut has only allowed stages
/// @throws         argument_error if `stages == 0`, and for a `per_stage` that is not finite; invalid_input if the total
///                 of integer costs overflows; whatever `cost` and `allowed` throw
///
/// Exact: integer totals equal those of enumeration, and on ties the lexicographically smallest optimal cuts are
/// returned. Totals of floating-point costs are minimal except for the rounding of sums in different orders, and ties are
/// detected where computed sums are equal, as for integers; a quadrangle inequality violated by rounding has no larger
/// effect. Deterministic; thread-safe.
///
/// Calls of `cost`, where w is the widest window of cut points (n without a constraint):
///   `monge`                     O(k n log n), or if fewer, O(n log n) for each of the additional costs tried, usually 5 to
///                               30, at most 195; `convex_of` doubles O(k w log w) in the windows left by convexity
///   `monge`, staged             O(k n log n)
///   `inverse_monge`             O(k n log² n)
///   neither, or constrained     O(k n w); for a hereditary constraint the windows follow from the widest stages
/// With a free number of stages O(n log n) for `monge`, O(n log² n) for `inverse_monge`, else O(n w). O(n) memory;
/// methods by stages use one index for each point of the windows.
///
/// Source: A. Aggarwal, B. Schieber and T. Tokuyama, Discrete Comput. Geom. 12:263-280, 1994 (exactly k links of a Monge
/// path); Z. Galil and K. Park, Theor. Comput. Sci. 92(1):49-76, 1992 (queue of candidates).
inline constexpr minimize_total_fn minimize_total{};

}  // namespace stagecut::inline STAGECUT_ABI
