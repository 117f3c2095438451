// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The least bottleneck, and the answer by a second criterion among the cuts that have it.
template <class Cost, class Answer>
struct bottleneck_then {
  Cost bottleneck;  ///< no cut has less
  Answer best;      ///< of those with no more, by the second criterion

  /// Equal in every part.
  friend bool operator==(const bottleneck_then&, const bottleneck_then&) = default;
};

namespace detail {

/// What the second search has to keep to; without a member `type` for what is no cost.
template <class Model, class Constraint>
struct within_bottleneck {};
template <stage_cost Model, stage_constraint Constraint>
struct within_bottleneck<Model, Constraint> {
  using type = all_of<constraint_ref<Constraint>, at_most<Model>>;
};
template <stage_cost Model>
struct within_bottleneck<Model, no_constraint> {
  using type = at_most<Model>;
};

/// The answer in what a second search returns, as far as that is an outcome.
template <class Second, class Within>
using second_answer_t = std::remove_cvref_t<decltype(*std::declval<const Second&>()(std::declval<const Within&>()))>;

}  // namespace detail

/// See `minimize_bottleneck_then`.
struct minimize_bottleneck_then_fn : detail::expects_cost {
  using detail::expects_cost::operator();

  /// See `minimize_bottleneck_then`.
  template <stage_cost Model, class Second, stage_constraint Constraint = detail::no_constraint,
            class Within = typename detail::within_bottleneck<Model, Constraint>::type,
            class Answer = detail::second_answer_t<Second, Within>>
  [[nodiscard]] outcome<bottleneck_then<cost_t<Model>, Answer>> operator()(const Model& cost, std::size_t stages,
                                                                           const Second& second,
                                                                           const Constraint& allowed = {}) const {
    using answer = outcome<bottleneck_then<cost_t<Model>, Answer>>;
    const auto first = minimize_bottleneck(cost, stages, allowed);
    if (!first) return answer::infeasible(first.why());
    const at_most<Model> cap(cost, detail::as_bound(first->cost));
    const auto ask = [&] {
      if constexpr (std::same_as<Constraint, detail::no_constraint>) {
        return second(cap);
      } else {
        return second(Within(detail::constraint_ref(allowed), cap));
      }
    };
    auto best = ask();
    if (!best) return best.state() == state::infeasible ? answer::infeasible(best.why()) : answer::unknown(best.why());
    return best.state() == state::optimal ? answer::optimal({first->cost, *std::move(best)})
                                          : answer::feasible({first->cost, *std::move(best)});
  }
};

/// Cuts a chain so that the costliest stage is as cheap as possible, and among all such cuts by a second criterion.
///
/// In two phases, as one dynamic program over both would be wrong: a part with a worse second value may belong to the
/// best whole, because its costliest stage does not count there.
///
/// @param cost     what items cost as a stage, as of `minimize_bottleneck`; must outlive the call
/// @param stages   number of stages k, at least 1
/// @param second   `second(within)`, the outcome of the second search, which keeps to the `stage_constraint` `within`:
///                 `[&](const auto& within) { return minimize_total(sent, k, within); }`, or with `minimize_variance`,
///                 `minimize_range`, `minimize_objective`, …
/// @param allowed  optional: which items may be a stage, a `stage_constraint`; is part of `within`
/// @return         the bottleneck, and the answer of `second`, in the state that it has; infeasible as
///                 `minimize_bottleneck`
/// @throws         argument_error if `stages == 0`; whatever `cost`, `second` and `allowed` throw
///
/// Exact if `second` is. `within` is hereditary if the cost is monotone and `allowed` hereditary, so that searches look
/// only where cut points can be.
inline constexpr minimize_bottleneck_then_fn minimize_bottleneck_then{};

}  // namespace stagecut::inline STAGECUT_ABI
