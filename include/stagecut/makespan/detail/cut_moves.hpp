// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/makespan/detail/cut_rules.hpp>
#include <stagecut/makespan/detail/random_bits.hpp>
#include <stagecut/makespan/detail/stages_of_ranks.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline v0::detail {

/// Changes of a cut by random moves: a run of neighbouring points goes to the left or right, and sometimes another run,
/// half of the time at another stage of the same rank, so that a rank can give from one stage and take with the other.
class cut_moves {
 public:
  /// The stages that a move has changed.
  struct changed {
    std::size_t first[2];
    std::size_t last[2];  ///< behind them; no second ones: both 0
  };

  /// @param without_memory  what stages and ranks hold is not asked
  cut_moves(const schedule& order, const cut_rules& rules, bool without_memory = false)
      : order_(order), rules_(rules), without_memory_(without_memory), stages_of_(stages_of_ranks(order)) {}

  /// Moves points of a cut of two stages or more. Returns whether the cut is an allowed one; if not, it is as before.
  [[nodiscard]] bool operator()(view<std::size_t> points, random_bits& random, changed& stages) const {
    const std::size_t inner = points.size() - 2;
    const std::size_t length = draw_length(random, inner);
    const std::size_t first = 1 + random.below(inner);
    std::ptrdiff_t by[2] = {draw_step(random), 0};
    std::size_t begin[2] = {first, 0};
    std::size_t end[2] = {first + length < inner + 1 ? first + length : inner + 1, 0};
    if (random.below(4) == 0) {
      begin[1] = random.below(2) == 0 ? other_of_rank(random, first) : 1 + random.below(inner);
      end[1] = begin[1] + length < inner + 1 ? begin[1] + length : inner + 1;
      by[1] = draw_step(random);
    }
    const bool second = begin[1] != 0;
    for (std::size_t run = 0; run < 2; ++run) shift(points, begin[run], end[run], by[run]);
    stages = {{begin[0] - 1, second ? begin[1] - 1 : 0}, {end[0], second ? end[1] : 0}};
    if (is_allowed(points, stages)) return true;
    for (std::size_t run = 0; run < 2; ++run) shift(points, begin[run], end[run], -by[run]);
    return false;
  }

 private:
  /// Of a run: mostly one point, often up to four, sometimes any number.
  [[nodiscard]] static std::size_t draw_length(random_bits& random, std::size_t inner) {
    const std::size_t which = random.below(16);
    return which < 9 ? 1 : which < 13 ? 2 + random.below(3) : 1 + random.below(inner);
  }
  [[nodiscard]] static std::ptrdiff_t draw_step(random_bits& random) {
    const auto width = static_cast<std::ptrdiff_t>(random.below(5) == 0 ? 2 + random.below(2) : 1);
    return random.below(2) == 0 ? width : -width;
  }
  /// The begin of another stage of the rank of stage s, which is not the first.
  [[nodiscard]] std::size_t other_of_rank(random_bits& random, std::size_t s) const {
    const std::vector<std::size_t>& all = stages_of_[order_.rank_of[s]];
    const std::size_t other = all[random.below(all.size())];
    return other == 0 ? s : other;
  }

  static void shift(view<std::size_t> points, std::size_t begin, std::size_t end, std::ptrdiff_t by) {
    // Beyond either end it wraps or passes the neighbour, is not allowed and is undone.
    for (std::size_t i = begin; i < end; ++i) points[i] += static_cast<std::size_t>(by);
  }

  [[nodiscard]] bool is_allowed(view<const std::size_t> points, const changed& stages) const {
    const std::size_t items = points[points.size() - 1];
    for (std::size_t run = 0; run < 2; ++run) {
      for (std::size_t s = stages.first[run]; s < stages.last[run]; ++s) {
        if (points[s] >= points[s + 1] || points[s + 1] > items) return false;
      }
    }
    for (std::size_t run = 0; run < 2; ++run) {
      for (std::size_t s = stages.first[run]; s < stages.last[run]; ++s) {
        const std::size_t last = points[s + 1];
        if (!(without_memory_ ? rules_.may_be(s, points[s], last) : rules_.allows(s, points[s], last))) return false;
      }
    }
    return without_memory_ || !rules_.has_rank_rules() || allowed_cut(order_, rules_, points);
  }

  const schedule& order_;
  const cut_rules& rules_;
  bool without_memory_;
  std::vector<std::vector<std::size_t>> stages_of_;  // of every rank
};

}  // namespace stagecut::inline v0::detail
