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

/// The smallest bottleneck, and the best answer under a second criterion among the cuts that attain it.
template <class Cost, class Answer>
struct bottleneck_then {
  Cost bottleneck;  ///< the smallest of all cuts
  Answer best;      ///< the best of these cuts under the second criterion

  /// Equal in every part.
  friend bool operator==(const bottleneck_then&, const bottleneck_then&) = default;
};

namespace detail {

/// The constraint of the second search; without a member `type` if `Model` is not a cost.
template <class Model, class Constraint>
struct within_bottleneck {};
template <stage_cost Model, stage_constraint Constraint>
struct within_bottleneck<Model, Constraint> {
  using type = all_of<constraint_ref<Constraint>, at_most<const Model&>>;
};
template <stage_cost Model>
struct within_bottleneck<Model, no_constraint> {
  using type = at_most<const Model&>;
};

/// The answer type of a second search, if it returns an outcome.
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
    const at_most<const Model&> cap(cost, detail::as_bound(first->value));
    const auto ask = [&] {
      if constexpr (std::same_as<Constraint, detail::no_constraint>) {
        return second(cap);
      } else {
        return second(Within(detail::constraint_ref(allowed), cap));
      }
    };
    auto best = ask();
    if (!best) return best.state() == state::infeasible ? answer::infeasible(best.why()) : answer::unknown(best.why());
    return best.state() == state::optimal ? answer::optimal({first->value, *std::move(best)})
                                          : answer::feasible({first->value, *std::move(best)});
  }
};

/// Minimizes the bottleneck, and among all such cuts a second criterion.
///
/// Runs in two phases, since one dynamic program over both would be incorrect: a part with a worse second value may
/// belong to an optimal whole, whose bottleneck is another stage.
///
/// @param cost     costs as for `minimize_bottleneck`; must outlive the call
/// @param stages   number of stages k, at least 1
/// @param second   `second(within)`, the outcome of the second search under the `stage_constraint` `within`: `[&](const
///                 auto& within) { return minimize_total(sent, k, within);
///                 }`, or with `minimize_variance`, `minimize_range`, `minimize_objective`, …
/// @param allowed  optional: which intervals may be stages, a `stage_constraint`; part of `within`
/// @return         the bottleneck, and the answer of `second`, with its state; infeasible as `minimize_bottleneck`
/// @throws         argument_error if `stages == 0`; whatever `cost`, `second` and `allowed` throw
///
/// Exact if `second` is. `within` is hereditary if the cost is monotone and `allowed` hereditary, so that searches only
/// consider possible cut points.
inline constexpr minimize_bottleneck_then_fn minimize_bottleneck_then{};

}  // namespace stagecut::inline STAGECUT_ABI
