// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/makespan/detail/rank_relaxation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Some paths through a `rank_relaxation`, each of which is a bound for all times of the rank's parts: how often it passes
/// through what a `rank_relaxation::part` lists, and the turn. Asked together they say quickly what the whole list would
/// say later; which are kept is learned from it.
class rank_paths {
 public:
  static constexpr std::size_t lanes = 8;  // paths come in groups of so many
  static constexpr std::size_t most = 32;

  /// How often a path passes, or how long that takes: forward, backward, weight, down and up of both parts, and the turn.
  static constexpr std::size_t figures = 11;
  using list = double[figures];

  /// Keeps a path. It takes the place of the oldest, if there are many.
  void put(const list& counts) {
    if (next_ == groups_.size() * lanes && next_ < most) groups_.resize(groups_.size() + 1);
    group& here = groups_[next_ / lanes];
    for (std::size_t i = 0; i < figures; ++i) here.counts[i][next_ % lanes] = counts[i];
    next_ = next_ + 1 == most ? 0 : next_ + 1;
  }

  /// Whether a path that is kept takes longer than `limit`.
  [[nodiscard]] bool above(const list& times, double limit) const {
    for (const group& each : groups_) {
      double lengths[lanes];
      for (std::size_t j = 0; j < lanes; ++j) lengths[j] = times[0] * each.counts[0][j];
      for (std::size_t i = 1; i < figures; ++i) {
        for (std::size_t j = 0; j < lanes; ++j) lengths[j] += times[i] * each.counts[i][j];
      }
      bool any = false;
      for (std::size_t j = 0; j < lanes; ++j) any = any || lengths[j] > limit;
      if (any) return true;
    }
    return false;
  }

 private:
  struct group {
    double counts[figures][lanes] = {};
  };

  std::vector<group> groups_{};
  std::size_t next_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
