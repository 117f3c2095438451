// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/point_moves.hpp>
#include <stagecut/engine/rank_stages.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Changes of a cut by random moves, see `draw_move`, to cuts that are allowed.
class cut_moves {
 public:
  /// The stages that a move has changed.
  struct changed {
    std::size_t first[2];
    std::size_t last[2];  ///< behind them; no second ones: both 0
  };

  /// @param without_memory  what stages and ranks hold is not asked
  cut_moves(const schedule& order, const engine::cut_rules& rules, bool without_memory = false)
      : order_(order), rules_(rules), without_memory_(without_memory), ranks_(order) {}

  /// Moves points of a cut of two stages or more. Returns whether the cut is an allowed one; if not, it is as before.
  [[nodiscard]] bool operator()(view<std::size_t> points, random_bits& random, changed& stages) const {
    const engine::point_move move = engine::draw_move(random, points.size() - 2, ranks_.seen());
    move.shift(points);
    stages = {{move.one.first_stage(), move.other.first_stage()}, {move.one.end, move.other.end}};
    if (move.is_in_order(points, points[points.size() - 1]) && is_allowed(points, stages)) return true;
    move.unshift(points);
    return false;
  }

 private:
  [[nodiscard]] bool is_allowed(view<const std::size_t> points, const changed& stages) const {
    for (std::size_t run = 0; run < 2; ++run) {
      for (std::size_t s = stages.first[run]; s < stages.last[run]; ++s) {
        const std::size_t last = points[s + 1];
        if (!(without_memory_ ? rules_.may_be(s, points[s], last) : rules_.allows(s, points[s], last))) return false;
      }
    }
    return without_memory_ || !rules_.has_rank_rules() || engine::allowed_cut(order_, rules_, points);
  }

  const schedule& order_;
  const engine::cut_rules& rules_;
  bool without_memory_;
  engine::rank_stages ranks_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
