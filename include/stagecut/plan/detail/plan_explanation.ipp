// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_explanation.hpp>

#include <stagecut/makespan/makespan_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL double critical_path_shares::total() const noexcept {
  double sum = 0;
  for (const path_share& share : stages) sum += share.total();
  for (const double message : messages) sum += message;
  return sum;
}

}  // namespace stagecut::inline STAGECUT_ABI
