// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/plan_hybrid.hpp>

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/graph_hybrid.hpp>
#include <stagecut/joint/detail/told_hybrid.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/plan/detail/as_one_chain.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<plan> plan_hybrid(const profile& model, const hybrid_plan_request& request) {
  bool tree = false;
  for (const layer& each : model.layers) tree = tree || !each.children.empty();
  if (!tree && !is_chain(model)) return detail::graph_hybrid(model, request);
  return detail::as_one_chain("plan_hybrid", model, plan_request(),
                              [&](const profile& chain) { return detail::told_hybrid(chain, request); });
}

}  // namespace stagecut::inline STAGECUT_ABI
