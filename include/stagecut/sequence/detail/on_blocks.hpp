// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/kept_together.hpp>
#include <stagecut/cost/merged_items.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A constraint that is exactly `forbidden_cuts`; a derived type may forbid more.
template <class Constraint>
concept cuts_only = std::same_as<Constraint, forbidden_cuts> || std::same_as<Constraint, kept_together>;

/// Solves the chain of the items merged between allowed cuts, `solve(merged)`, without a constraint, and returns the
/// answer for the original items.
template <stage_cost Model, class Solve>
[[nodiscard]] auto on_blocks(const Model& cost, std::size_t stages, const forbidden_cuts& forbidden, Solve solve) {
  using answer = decltype(solve(std::declval<const merged_items<const Model&>&>()));
  const std::size_t items = cost.size();
  if (stages > items) return answer::infeasible({reason::cause::more_stages_than_layers, stages, items});
  if (auto why = forbidden.obstacle(items, stages)) return answer::infeasible(*std::move(why));
  const merged_items<const Model&> merged(cost, forbidden);
  answer found = solve(merged);
  if (found) found->cuts = merged.expand(found->cuts);
  return found;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
