// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/chain_partition.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline v0::detail {

/// The least bottleneck of a chain whose stages a constraint allows, by dynamic programming over (stage, first item).
///
/// Nothing costs less than `floor`, the optimum without the constraint: costs below count as that much, so that the
/// search for a stage's end stops at the first that reaches it. Exact for a monotone cost under any constraint.
/// O(k n w) calls of the constraint, w the widest interval that costs less than the best one known or that is not
/// hopeless; k n costs of memory.
template <monotone_cost Model, stage_constraint Constraint>
class constrained_bottleneck {
 public:
  using cost_type = cost_t<Model>;

  constrained_bottleneck(const Model& cost, std::size_t stages, const Constraint& allowed, cost_type floor)
      : cost_(cost), allowed_(allowed), floor_(std::move(floor)), items_(cost.size()), stages_(stages) {}

  /// The lexicographically smallest of the best cuts; none if the constraint leaves none.
  [[nodiscard]] std::optional<chain_partition<cost_type>> run() {
    best_.resize((stages_ + 1) * (items_ + 1));
    best(stages_, items_) = floor_;
    for (std::size_t s = stages_; s-- > 0;) {
      const std::size_t highest = s == 0 ? 0 : items_ - (stages_ - s);
      for (std::size_t first = s; first <= highest; ++first) best(s, first) = suffix(s, first);
    }
    if (!best(0, 0)) return std::nullopt;
    const cost_type least = *best(0, 0);
    std::vector<std::size_t> points{0};
    for (std::size_t s = 0; s < stages_; ++s) points.push_back(first_end(s, points.back(), least));
    return chain_partition<cost_type>{cuts(std::move(points)), least, least};
  }

 private:
  /// The least bottleneck of the items from `first` on as the stages from s on.
  std::optional<cost_type>& best(std::size_t s, std::size_t first) { return best_[s * (items_ + 1) + first]; }

  /// The cost of the stage and of all behind it, if the stage may be.
  [[nodiscard]] std::optional<cost_type> through(std::size_t s, std::size_t last, cost_type here) {
    const std::optional<cost_type>& rest = best(s + 1, last);
    if (!rest) return std::nullopt;
    if (here < *rest) return rest;
    return here;
  }

  [[nodiscard]] std::optional<cost_type> suffix(std::size_t s, std::size_t first) {
    std::optional<cost_type> least;
    const std::size_t highest = items_ - (stages_ - 1 - s);
    for (std::size_t last = s + 1 == stages_ ? items_ : first + 1; last <= highest; ++last) {
      cost_type here = cost_(first, last);
      if (least && !(here < *least)) break;
      const bool may = allowed_(s, first, last);
      if (may) {
        auto all = through(s, last, std::move(here));
        if (all && (!least || *all < *least)) least = std::move(all);
        if (least && !(floor_ < *least)) break;
      } else if (hopeless(allowed_, s, first, last, may)) {
        break;
      }
    }
    return least;
  }

  /// The smallest end of stage s that keeps the whole within `bound`.
  [[nodiscard]] std::size_t first_end(std::size_t s, std::size_t first, const cost_type& bound) {
    std::size_t last = s + 1 == stages_ ? items_ : first + 1;
    for (; last < items_; ++last) {
      const auto& rest = best(s + 1, last);
      if (rest && *rest <= bound && allowed_(s, first, last)) break;
    }
    return last;
  }

  const Model& cost_;
  const Constraint& allowed_;
  cost_type floor_;
  std::size_t items_;
  std::size_t stages_;
  std::vector<std::optional<cost_type>> best_;
};

}  // namespace stagecut::inline v0::detail
