// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/alike_hybrids.hpp>
#include <stagecut/joint/detail/hybrid_planner.hpp>
#include <stagecut/joint/detail/told_stages.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The best plan of a model.
/// @param make  as of `hybrid_planner`
/// @param told  as of `alike_hybrids`
template <class Make>
[[nodiscard]] outcome<plan> best_hybrid(const profile& model, const hybrid_plan_request& request, const Make& make,
                                        told_stages* told = nullptr) {
  const hybrid_planner planner(model, request, make);
  if (request.alike) return alike_hybrids(model, planner, told).best();
  return planner.planned(planner.make(request.choices), request.choices, request.pipeline, 1);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
