// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/rightmost_end.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The smallest value of an isotone objective over the cuts of a chain into allowed stages: from the end of the chain,
/// computes the best suffix for every stage and every first item.
///
/// Under a hereditary constraint considers only first items between which allowed stages lead. O(k n w) calls of cost and
/// constraint for n items and k stages, where w is n, or the widest interval that the constraint does not report as
/// hopeless; as many comparisons of values. Memory for O(k n) values, or for as many as there are possible cut points.
template <stage_cost Model, class Objective, stage_constraint Constraint>
class stage_program {
 public:
  using cost_type = cost_t<Model>;
  using value_type = value_t<Objective, cost_type>;

  /// @param floor  lower bound on all values, if known; values below count as `floor`
  /// @param clock  optional: ends the search
  stage_program(const Model& cost, std::size_t stages, const Objective& objective, const Constraint& allowed,
                empty_stages empty = empty_stages::forbidden, std::optional<value_type> floor = std::nullopt,
                chain_clock* clock = nullptr)
      : cost_(cost),
        objective_(objective),
        allowed_(allowed),
        floor_(std::move(floor)),
        clock_(clock),
        items_(cost.size()),
        stages_(stages),
        gap_(empty == empty_stages::forbidden ? 1 : 0) {}

  /// The lexicographically smallest of the best cuts; none if the constraint leaves none, or the clock ended it.
  [[nodiscard]] std::optional<chain_partition<value_type>> run() {
    limit();
    behind_.resize(stages_);
    lowest_ = items_;
    for (std::size_t s = stages_; s-- > 0;) {
      if (!go_back(s)) return std::nullopt;
    }
    const value_type least = *behind_[0][0].best;
    std::vector<std::size_t> points = smallest(least);
    return chain_partition<value_type>{
        {least, least}, cuts(std::move(points), gap_ == 0 ? empty_stages::allowed : empty_stages::forbidden)};
  }

 private:
  /// The best stages from a given one on for the items from a given one on.
  struct suffix {
    std::optional<value_type> best;  ///< none: the constraint leaves no cut
    std::size_t end = 0;             ///< of the first of these stages, the smallest on ties
  };

  /// Computes the largest first items, by stage: docs/chains.md, "How far stages reach".
  void limit() {
    highest_.assign(stages_ + 1, items_);
    highest_[0] = 0;
    for (std::size_t s = 0; s + 1 < stages_; ++s) {
      const std::size_t most = items_ - gap_ * (stages_ - 1 - s);
      highest_[s + 1] = most;
      if constexpr (promises<Constraint, hereditary>) {
        const std::size_t from = highest_[s];
        highest_[s + 1] =
            detail::rightmost_end(from, most, [&](std::size_t last) { return allowed_(s, from, last); });
      }
    }
  }

  [[nodiscard]] const suffix* at(std::size_t s, std::size_t first) const {
    const std::size_t below = highest_[s] - first;
    return first <= highest_[s] && below < behind_[s].size() ? behind_[s].data() + below : nullptr;
  }

  /// Computes all first items of stage s, from right to left. Returns whether there is one.
  bool go_back(std::size_t s) {
    std::vector<suffix>& here = behind_[s];
    std::size_t found = items_ + 1;
    for (std::size_t first = highest_[s] + 1; first-- > (s == 0 ? 0 : gap_ * s);) {
      const double done = static_cast<double>(stages_ - 1 - s);
      if (clock_ != nullptr && clock_->over(done / static_cast<double>(stages_))) return false;
      if (s + 1 != stages_ || first + gap_ <= items_) {
        const std::size_t nearest = s + 1 == stages_ || lowest_ > first + gap_ ? lowest_ : first + gap_;
        if constexpr (promises<Constraint, hereditary>) {
          // A start further left needs all of these, too.
          if (lowest_ == nearest && !allowed_(s, first, nearest)) break;
        }
        here.push_back(best_from(s, first, nearest));
      } else {
        here.emplace_back();
      }
      if (here.back().best) found = first;
    }
    if (found > items_) return false;
    lowest_ = found;
    return true;
  }

  [[nodiscard]] suffix best_from(std::size_t s, std::size_t first, std::size_t nearest) {
    std::optional<value_type> best;
    std::size_t end = 0;
    const std::vector<suffix>* const ends = s + 1 == stages_ ? nullptr : behind_.data() + (s + 1);
    const std::size_t highest = ends == nullptr ? items_ : highest_[s + 1];
    for (std::size_t last = nearest; last <= highest; ++last) {
      const suffix* rest = nullptr;
      if (ends != nullptr) {
        if (highest - last >= ends->size()) continue;
        rest = ends->data() + (highest - last);
        if (!rest->best) continue;
        if constexpr (std::same_as<Objective, bottleneck>) {
          if (best && !(*rest->best < *best)) continue;
        }
      }
      const bool may = allowed_(s, first, last);
      if (!may) {
        if (detail::hopeless(allowed_, s, first, last, may)) break;
        continue;
      }
      cost_type here = detail::price(cost_, s, first, last);
      if (best) {
        if constexpr (requires { objective_.hopeless(here, *best); }) {
          if (objective_.hopeless(here, *best)) {
            if constexpr (promises<Model, right_monotone>) break;
            continue;
          }
        }
        if constexpr (requires { objective_.less(here, *best, *best); }) {
          if (rest != nullptr && !objective_.less(here, *rest->best, *best)) continue;
        }
      }
      value_type all = objective_(here);
      if (rest != nullptr) {
        all = objective_(all, *rest->best);
      } else if (floor_) {
        all = objective_(all, *floor_);
      }
      if (best && !(all < *best)) continue;
      best = std::move(all);
      end = last;
      if (floor_ && !(*floor_ < *best)) break;
    }
    return {std::move(best), end};
  }

  /// The lexicographically smallest cut with that value.
  [[nodiscard]] std::vector<std::size_t> smallest(const value_type& least) {
    std::vector<std::size_t> points{0};
    if constexpr (!promises<Objective, strictly_isotone>) {
      // A part need not be optimal as long as the whole is.
      std::optional<value_type> before;
      for (std::size_t s = 0; s < stages_; ++s) {
        const std::size_t end = smallest_end(s, points.back(), before, least);
        if (end > items_) break;
        points.push_back(end);
      }
      if (points.size() == stages_ + 1) return points;
      points.resize(1);  // values with inconsistent rounding
    }
    for (std::size_t s = 0; s < stages_; ++s) points.push_back(at(s, points.back())->end);
    return points;
  }

  /// The smallest end of stage s that keeps the whole within `least`; combines its value with `before`.
  [[nodiscard]] std::size_t smallest_end(std::size_t s, std::size_t first, std::optional<value_type>& before,
                                         const value_type& least) {
    for (std::size_t last = s + 1 == stages_ ? items_ : first + gap_; last <= items_; ++last) {
      const suffix* const rest = s + 1 == stages_ ? nullptr : at(s + 1, last);
      if (s + 1 != stages_ && (rest == nullptr || !rest->best)) continue;
      if (!allowed_(s, first, last)) continue;
      value_type here = objective_(detail::price(cost_, s, first, last));
      if (before) here = objective_(*before, here);
      if (least < (rest == nullptr ? here : objective_(here, *rest->best))) continue;
      before = std::move(here);
      return last;
    }
    return items_ + 1;
  }

  const Model& cost_;
  const Objective& objective_;
  const Constraint& allowed_;
  std::optional<value_type> floor_;
  chain_clock* clock_;
  std::size_t items_;
  std::size_t stages_;
  std::size_t gap_;         // minimum number of items in a stage
  std::size_t lowest_ = 0;  // smallest start of the next stage
  std::vector<std::size_t> highest_;
  std::vector<std::vector<suffix>> behind_;  ///< [s][d]: from `highest_[s] - d` on
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
