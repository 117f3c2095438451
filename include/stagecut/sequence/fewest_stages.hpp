// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `fewest_stages`.
struct fewest_stages_fn : detail::expects_cost_and_constraint {
  using detail::expects_cost_and_constraint::operator();

  /// See `fewest_stages`.
  /// @{
  template <interval_cost Model, std::floating_point Real, stage_constraint Constraint = detail::no_constraint>
  requires integer<cost_t<Model>>
  auto operator()(const Model&, Real, const Constraint& = {}) const = delete;

  template <interval_cost Model, stage_constraint Constraint = detail::no_constraint>
  [[nodiscard]] outcome<chain_partition<std::size_t>> operator()(const Model& cost, const cost_t<Model>& most,
                                                                 const Constraint& allowed = {}) const {
    static_assert(
        promises<Constraint, stage_invariant>,
        "which stage an item comes to is not known before their number is: this constraint does not promise "
        "stage_invariant. Promise it if it is true: using axioms = stagecut::axioms<stagecut::stage_invariant>. "
        "For one that differs by stage call best_stages, which tries each number");
    using answer = outcome<chain_partition<std::size_t>>;
    if constexpr (arithmetic<cost_t<Model>>) {
      if (is_nan(most)) detail::fail(argument_error("fewest_stages", "most", "NaN", "must be a number"));
    }
    const std::size_t items = cost.size();
    if (items == 0) return answer::infeasible({reason::cause::constraint, 0, 0, "there is no item"});
    std::vector<std::size_t> needed(items + 1, items + 1);  // number of stages for the items from each item on
    std::vector<std::size_t> end(items + 1);                // smallest end of the first of these stages
    needed[items] = 0;
    for (std::size_t first = items; first-- > 0;) {
      for (std::size_t last = first + 1; last <= items; ++last) {
        const bool fits = cost(first, last) <= most;
        if (!fits && promises<Model, right_monotone>) break;
        const bool may = allowed(0, first, last);
        if (!may && detail::hopeless(allowed, 0, first, last, may)) break;
        if (!fits || !may || needed[last] + 1 >= needed[first]) continue;
        needed[first] = needed[last] + 1;
        end[first] = last;
      }
    }
    if (needed[0] > items) {
      std::size_t item = 0;  // the last item from which no stages lead to the end
      for (std::size_t first = 0; first < items; ++first) item = needed[first] > items ? first : item;
      return answer::infeasible(
          {reason::cause::constraint, 0, 0,
           detail::joined({"no stage that begins with item ", item, " is allowed and leads on to the end"})});
    }
    std::vector<std::size_t> points{0};
    while (points.back() != items) points.push_back(end[points.back()]);
    return answer::optimal({{needed[0], needed[0]}, cuts(std::move(points))});
  }
  /// @}
};

/// Cuts a chain into the fewest stages such that none costs more than `most`.
///
/// @param cost     costs of intervals as stages, the same for all stages
/// @param most     upper bound for a stage; an integer if costs are integers
/// @param allowed  optional: which intervals may be stages, a `stage_invariant` `stage_constraint`
/// @return         optimal, with the number of stages as cost and bound; infeasible if no number of stages suffices
/// @throws         argument_error if `most` is NaN; whatever `cost` and `allowed` throw
///
/// Exact for any cost. On ties, the lexicographically smallest cuts. O(n w) calls of cost and constraint, where w is n,
/// or for a right-monotone cost the number of items of the widest stage within `most`. If the costs, or the microbatches
/// in flight, depend on the stage or on the number of stages, see `best_stages`.
inline constexpr fewest_stages_fn fewest_stages{};

}  // namespace stagecut::inline STAGECUT_ABI
