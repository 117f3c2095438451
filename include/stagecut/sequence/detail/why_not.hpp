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

namespace stagecut::inline v0::detail {

/// Why a constraint leaves no cut, as far as it can tell.
template <stage_constraint Constraint>
[[nodiscard]] reason why_not(const Constraint& allowed, std::size_t items, std::size_t stages,
                             empty_stages empty = empty_stages::forbidden) {
  if constexpr (requires { allowed.obstacle(items, stages); }) {
    if (empty == empty_stages::forbidden) {
      if (auto told = allowed.obstacle(items, stages)) return *std::move(told);
    }
  }
  reason why{reason::cause::constraint, 0, 0};
  if constexpr (promises<Constraint, hereditary>) {
    for (std::size_t i = 0; i < items && why.place.empty(); ++i) {
      bool alone = false;
      for (std::size_t s = 0; s < stages && !alone; ++s) alone = allowed(s, i, i + 1);
      if (!alone) why.place = joined("item ", std::to_string(i), " may not even be a stage of its own");
    }
  }
  if (!why.place.empty()) return why;
  if (empty == empty_stages::allowed) return why;
  // From the front: which items can be reached at all? As far as it can be told in a second.
  std::size_t patience = std::size_t{1} << 26U;
  std::vector<char> reached(items + 1);
  reached[0] = 1;
  std::size_t furthest = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    std::vector<char> next(items + 1);
    bool any = false;
    for (std::size_t i = s; i < items; ++i) {
      for (std::size_t j = i + 1; reached[i] != 0 && j <= items; ++j) {
        if (patience-- == 0) return why;
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
    if (!any) {
      why.place = joined("stage ", std::to_string(s), " finds no items that it may hold, wherever those before it end");
      return why;
    }
    reached = std::move(next);
  }
  if (furthest < items) {
    why.place = joined(std::to_string(stages), " stages reach no further than item ", std::to_string(furthest - 1));
  }
  return why;
}

}  // namespace stagecut::inline v0::detail
