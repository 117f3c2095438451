// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_choices.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<schedule_kind> usual_schedules(const profile& model) {
  const bool splits = model.splits_backward();
  std::vector<schedule_kind> result;
  for (const schedule_entry& entry : schedules) {
    if (!entry.twin && !needs_more(entry) && (splits || !entry.splits_backward)) result.push_back(entry.kind);
  }
  return result;
}

STAGECUT_DECL plan_choices usual_choices(const profile& model, std::size_t stages_per_rank) {
  plan_choices result;
  result.stages_per_rank = stages_per_rank == 0 ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{stages_per_rank};
  result.schedules = usual_schedules(model);
  result.list_impossible = false;
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
