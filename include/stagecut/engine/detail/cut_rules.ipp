// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/cut_rules.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL bool allowed_cut(const schedule& order, const cut_rules& rules, view<const std::size_t> points) {
  for (std::size_t s = 0; s + 1 < points.size(); ++s) {
    if (!rules.allows(s, points[s], points[s + 1])) return false;
  }
  if (!rules.has_rank_rules()) return true;
  std::vector<interval> parts;
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    parts.clear();
    for (std::size_t s = 0; s + 1 < points.size(); ++s) {
      if (order.rank_of[s] == r) parts.push_back({points[s], points[s + 1]});
    }
    if (!rules.allows_rank(r, parts)) return false;
  }
  return true;
}

STAGECUT_DECL double memory_at(const cut_rules& rules, view<const std::size_t> stages,
                               view<const detail::held_microbatches> held, view<const std::size_t> points) {
  double sum = 0;
  for (std::size_t j = 0; j < stages.size(); ++j) {
    sum += rules.stage_memory(stages[j], points[stages[j]], points[stages[j] + 1], held[j]);
  }
  return sum;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
