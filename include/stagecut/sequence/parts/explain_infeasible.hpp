// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The message for an item that no stage may hold even alone; empty if there is none, or if the constraint is not
/// hereditary.
template <stage_constraint Constraint>
[[nodiscard]] std::string forbidden_item(const Constraint& allowed, std::size_t items, std::size_t stages) {
  if constexpr (promises<Constraint, hereditary>) {
    for (std::size_t i = 0; i < items; ++i) {
      bool alone = false;
      for (std::size_t s = 0; s < stages && !alone; ++s) alone = allowed(s, i, i + 1);
      if (!alone) return joined({"item ", i, " may not even be a stage of its own"});
    }
  }
  return {};
}

/// The message about how far nonempty stages reach from the front; empty if they reach the end, or if this cannot be
/// determined in a second.
template <stage_constraint Constraint>
[[nodiscard]] std::string forbidden_reach(const Constraint& allowed, std::size_t items, std::size_t stages) {
  std::size_t patience = std::size_t{1} << 26U;
  std::vector<char> reached(items + 1);
  reached[0] = 1;
  std::size_t furthest = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    std::vector<char> next(items + 1);
    bool any = false;
    for (std::size_t i = s; i < items; ++i) {
      for (std::size_t j = i + 1; reached[i] != 0 && j <= items; ++j) {
        if (patience-- == 0) return {};
        const bool may = allowed(s, i, j);
        if (may) {
          next[j] = 1;
          any = true;
          furthest = furthest < j ? j : furthest;
        } else if (detail::hopeless(allowed, s, i, j, may)) {
          break;
        }
      }
    }
    if (!any) return joined({"stage ", s, " finds no items that it may hold, wherever those before it end"});
    reached = std::move(next);
  }
  if (furthest == items) return {};
  return joined({stages, " stages reach no further than item ", furthest - 1});
}

/// Why a constraint allows no cut, as far as it can be determined.
template <stage_constraint Constraint>
[[nodiscard]] reason explain_infeasible(const Constraint& allowed, std::size_t items, std::size_t stages,
                                        empty_stages empty = empty_stages::forbidden) {
  if constexpr (requires { allowed.obstacle(items, stages); }) {
    if (empty == empty_stages::forbidden) {
      if (auto told = allowed.obstacle(items, stages)) return *std::move(told);
    }
  }
  reason why{reason::cause::constraint, 0, 0};
  why.place = detail::forbidden_item(allowed, items, stages);
  if (why.place.empty() && empty == empty_stages::forbidden) {
    why.place = detail::forbidden_reach(allowed, items, stages);
  }
  return why;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
