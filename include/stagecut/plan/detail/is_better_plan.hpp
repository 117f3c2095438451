// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The costs of the stages, the greatest first, by which `leximax` compares.
[[nodiscard]] inline std::vector<double> falling_costs(const plan& made) {
  std::vector<double> result;
  for (const planned_stage& stage : made.stages) result.push_back(stage.cost);
  std::sort(result.rbegin(), result.rend());
  return result;
}

/// Whether a plan is better than another one by the same objective, whose value for `leximax` is the costliest stage alone.
[[nodiscard]] inline bool is_better_plan(const plan& a, const plan& b) {
  if (a.objective.name != to_string(plan_objective::leximax)) return a.objective.value < b.objective.value;
  return falling_costs(a) < falling_costs(b);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
