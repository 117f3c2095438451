// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/compare_hybrids.hpp>

#include <utility>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/rival_hybrids.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<compared_hybrid> compare_hybrids(const profile& model, const hybrid_plan_request& request,
                                                           outcome<plan> own) {
  std::vector<compared_hybrid> rows = detail::rival_plans(model, request, false);
  outcome<plan> known = detail::best_rival(rows);
  if (known && (!own || known->objective.value < *own->makespan)) {
    if (own && own->objective.bound < known->objective.value) known->objective.bound = own->objective.bound;
    own = std::move(known);
  }
  rows.push_back({"stagecut", "iteration", "all", std::move(own)});
  return rows;
}

STAGECUT_DECL std::vector<compared_hybrid> compare_hybrids(const profile& model, hybrid_plan_request request) {
  return detail::plans_beside(model, std::move(request), false);
}

}  // namespace stagecut::inline STAGECUT_ABI
