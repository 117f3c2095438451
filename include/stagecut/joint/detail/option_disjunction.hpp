// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/option_program.hpp>
#include <stagecut/joint/detail/rank_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A duration that every rank has, and a limit. Either no rank exceeds it, or some rank is the first that does: a mix
/// of options that levels the ranks satisfies neither. See docs/recomputation.md, "Branching".
struct disjunction {
  std::size_t slot = 0;  // among a rank's durations
  double limit = 0;
  double score = 0;  // above 0: the mix satisfies neither side
};

/// The side of the limit of a rank's live options: -1 below, 1 above, 0 both.
[[nodiscard]] inline int side_of(const rank_options& rank, const std::vector<char>& live, const disjunction& by);

/// Finds the disjunction that a mix of options violates most.
class disjunction_choice {
 public:
  disjunction_choice(const option_graph& graph, const option_paths::live_options& live, const option_program& mix)
      : graph_(graph), live_(live), mix_(mix), mean_(graph.ranks.size()) {}

  [[nodiscard]] disjunction best();

 private:
  void consider(std::size_t slot, std::size_t r);

  /// Whether no undecided rank has a larger mean: ranks with smaller means are below anyway.
  [[nodiscard]] bool is_largest(std::size_t slot, std::size_t r, double limit) const;

  const option_graph& graph_;
  const option_paths::live_options& live_;
  const option_program& mix_;
  std::vector<double> mean_;
  disjunction best_{};
};

inline int side_of(const rank_options& rank, const std::vector<char>& live, const disjunction& by) {
  if (by.slot >= rank.width()) return -1;
  bool below = false;
  bool above = false;
  const double* const times = rank.times(by.slot);
  for (std::size_t o = 0; o < rank.size(); ++o) {
    if (live[o] != 0) (times[o] > by.limit ? above : below) = true;
  }
  return below && above ? 0 : above ? 1 : -1;
}

inline disjunction disjunction_choice::best() {
  std::size_t width = 0;
  for (const rank_options& rank : graph_.ranks) width = std::max(width, rank.width());
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

inline void disjunction_choice::consider(std::size_t slot, std::size_t r) {
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
  // Forward passes determine the number of layers, on which the other durations depend.
  const double score = near * (slot % graph_.ranks[r].kinds() == engine::tick_f ? 5 : 1);
  if (score > best_.score && is_largest(slot, r, below)) best_ = {slot, below, score};
}

inline bool disjunction_choice::is_largest(std::size_t slot, std::size_t r, double limit) const {
  for (std::size_t q = 0; q < mean_.size(); ++q) {
    if (mean_[q] > mean_[r] && side_of(graph_.ranks[q], live_[q], {slot, limit, 0}) == 0) return false;
  }
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
