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
    std::vector<std::size_t> needed(items + 1, items + 1);  // stages, for the items from one on
    std::vector<std::size_t> end(items + 1);                // of the first of them, the smallest
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
      std::size_t item = 0;  // from the end of the chain on, what comes to no stage
      for (std::size_t first = 0; first < items; ++first) item = needed[first] > items ? first : item;
      return answer::infeasible(
          {reason::cause::constraint, 0, 0,
           detail::joined({"no stage that begins with item ", item, " is allowed and leads on to the end"})});
    }
    std::vector<std::size_t> points{0};
    while (points.back() != items) points.push_back(end[points.back()]);
    return answer::optimal({cuts(std::move(points)), needed[0], needed[0]});
  }
  /// @}
};

/// Cuts a chain into as few stages as possible, none of which costs more than `most`.
///
/// @param cost     what items cost as a stage, the same for all stages
/// @param most     what a stage may cost; no fraction where costs are integers
/// @param allowed  optional: which items may be a stage, a `stage_constraint` that is `stage_invariant`
/// @return         optimal, with the number of stages as cost and bound; infeasible if no number of stages will do
/// @throws         argument_error if `most` is NaN; whatever `cost` and `allowed` throw
///
/// Exact for any cost. Among the cuts with as few stages the lexicographically smallest. O(n w) calls of cost and
/// constraint, where w is n, or of a right-monotone cost the items of the widest stage within `most`. Where the costs,
/// or the memory in flight, depend on the stage or on the number of stages, see `best_stages`.
inline constexpr fewest_stages_fn fewest_stages{};

}  // namespace stagecut::inline STAGECUT_ABI
