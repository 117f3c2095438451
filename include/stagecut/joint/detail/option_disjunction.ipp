// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/option_disjunction.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/rank_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL int side_of(const rank_options& rank, const std::vector<char>& live, const disjunction& by) {
  if (by.slot >= rank.width()) return -1;
  bool below = false;
  bool above = false;
  const double* const times = rank.times(by.slot);
  for (std::size_t o = 0; o < rank.size(); ++o) {
    if (live[o] != 0) (times[o] > by.limit ? above : below) = true;
  }
  return below && above ? 0 : above ? 1 : -1;
}

STAGECUT_DECL disjunction disjunction_choice::best() {
  std::size_t width = 0;
  for (const rank_options& each : graph_.ranks) width = std::max(width, each.width());
  for (std::size_t slot = 0; slot < width; ++slot) {
    mean_.assign(mean_.size(), 0);
    mix_.each_share([&](std::size_t r, std::size_t o, double share) {
      if (slot < graph_.ranks[r].width()) mean_[r] += share * graph_.ranks[r].times(slot)[o];
    });
    for (std::size_t r = 0; r < mean_.size(); ++r) {
      if (slot < graph_.ranks[r].width()) consider(slot, r);
    }
  }
  return best_;
}

STAGECUT_DECL void disjunction_choice::consider(std::size_t slot, std::size_t r) {
  const double* const times = graph_.ranks[r].times(slot);
  double below = -1;
  double above = no_time;
  for (std::size_t o = 0; o < graph_.ranks[r].size(); ++o) {
    if (live_[r][o] == 0) continue;
    if (times[o] <= mean_[r] && times[o] > below) below = times[o];
    if (times[o] > mean_[r] && times[o] < above) above = times[o];
  }
  if (below < 0 || above >= no_time) return;
  const double near = mean_[r] - below < above - mean_[r] ? mean_[r] - below : above - mean_[r];
  // Forward passes say how many layers there are, which the other durations follow.
  const double score = near * (slot % graph_.ranks[r].kinds() == engine::tick_f ? 5 : 1);
  if (score > best_.score && is_largest(slot, r, below)) best_ = {slot, below, score};
}

STAGECUT_DECL bool disjunction_choice::is_largest(std::size_t slot, std::size_t r, double limit) const {
  for (std::size_t q = 0; q < mean_.size(); ++q) {
    if (mean_[q] > mean_[r] && side_of(graph_.ranks[q], live_[q], {slot, limit, 0}) == 0) return false;
  }
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
