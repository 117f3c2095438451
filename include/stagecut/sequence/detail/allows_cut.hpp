// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/cost/constraint.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether every stage between these cut points is allowed; tests from the front, up to the first that is not.
template <stage_constraint Constraint, class Points>
[[nodiscard]] bool allows_cut(const Constraint& allowed, const Points& points, std::size_t stages) {
  for (std::size_t s = 0; s < stages; ++s) {
    const bool may = allowed(s, points[s], points[s + 1]);
    if (!may) return false;
  }
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
