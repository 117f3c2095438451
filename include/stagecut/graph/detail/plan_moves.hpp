// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/graph_plan_point.hpp>
#include <stagecut/graph/detail/moving_stages.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Moves of elements between the stages of a plan; each returns whether it improved the plan, and otherwise leaves it
/// unchanged.
class plan_moves {
 public:
  /// @param fixed  elements that do not move
  plan_moves(const contraction& elements, plan_pricer& pricer, const std::vector<bool>& fixed)
      : elements_(elements), pricer_(pricer), fixed_(fixed) {}

  /// Moves one element.
  bool alone(plan_point& point, std::size_t e, std::size_t to);

  /// Moves an element with all its successors, or all its predecessors, in its stage.
  bool with_others(plan_point& point, std::size_t e, std::size_t to);

  /// Swaps two elements.
  bool swap(plan_point& point, std::size_t a, std::size_t b);

 private:
  /// Applies `moves_` if that improves the plan.
  bool try_moves(plan_point& point);

  static constexpr std::size_t most_together = 64;

  const contraction& elements_;
  plan_pricer& pricer_;
  const std::vector<bool>& fixed_;
  std::vector<std::pair<std::size_t, std::size_t>> moves_{};  // elements and their targets
  moving_stages::sums sums_{};
  std::vector<std::size_t> order_{};
  std::vector<std::size_t> warm_up_{};
};

inline bool plan_moves::alone(plan_point& point, std::size_t e, std::size_t to) {
  moves_.assign(1, {e, to});
  return try_moves(point);
}

inline bool plan_moves::with_others(plan_point& point, std::size_t e, std::size_t to) {
  for (const bool down : {true, false}) {
    const std::size_t from = point.stages.stage_of_element(e);
    if (from == to) return false;
    moves_.assign(1, {e, to});
    bool movable = true;
    for (std::size_t i = 0; i < moves_.size() && movable && moves_.size() <= most_together; ++i) {
      const auto others =
          down ? elements_.below().successors(moves_[i].first) : elements_.below().predecessors(moves_[i].first);
      for (const std::size_t other : others) {
        if (point.stages.stage_of_element(other) != from) continue;
        if (std::find(moves_.begin(), moves_.end(), std::pair<std::size_t, std::size_t>(other, to)) != moves_.end())
          continue;
        moves_.emplace_back(other, to);
        movable = movable && !fixed_[other];
      }
    }
    if (!movable || moves_.size() < 2 || moves_.size() > most_together) continue;
    if (try_moves(point)) return true;
  }
  return false;
}

inline bool plan_moves::swap(plan_point& point, std::size_t a, std::size_t b) {
  const std::size_t from = point.stages.stage_of_element(a);
  moves_.assign(1, {a, point.stages.stage_of_element(b)});
  moves_.emplace_back(b, from);
  return try_moves(point);
}

inline bool plan_moves::try_moves(plan_point& point) {
  point.stages.save(sums_);
  order_ = point.order;
  warm_up_ = point.warm_up;
  const plan_value before = point.value;
  for (auto& [e, to] : moves_) {
    const std::size_t from = point.stages.stage_of_element(e);
    point.stages.move(e, to);
    to = from;
  }
  if (pricer_.price(point, plan_pricer::counts::kept)) {
    if (point.value.better_than(before)) return true;
    const bool near = point.value.empty == before.empty && point.value.overflow <= before.overflow &&
                      point.value.makespan < before.makespan * 1.03;
    if (near && point.order.size() <= 8 && pricer_.price(point, plan_pricer::counts::improved) &&
        point.value.better_than(before)) {
      return true;
    }
  }
  for (std::size_t i = moves_.size(); i-- > 0;) point.stages.move(moves_[i].first, moves_[i].second);
  point.stages.restore(sums_);
  point.order = order_;
  point.warm_up = warm_up_;
  point.value = before;
  return false;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
