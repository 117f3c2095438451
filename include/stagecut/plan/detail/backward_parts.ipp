// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/parts/backward_parts.hpp>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL bool backward_parts::apart() const noexcept {
  const double off = input_ + weight_ - whole_;
  return known_ && (off < 0 ? -off : off) > 0x1p-41 * (input_ + weight_ + whole_);
}

STAGECUT_DECL void backward_parts::write_to(planned_stage& stage, double speed, double again) const {
  if (!known_ || !is_finite(input_ / speed + weight_ / speed)) return;
  stage.backward_weight = weight_ / speed;
  if (apart()) stage.backward_input = input_ / speed + again;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
