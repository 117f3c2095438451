// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/sequence/detail/layered_total.hpp>
#include <stagecut/sequence/detail/rightmost_end.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The windows of cut points: for a hereditary constraint, no further from either end than the widest stages reach
/// (docs/chains.md, "How far stages reach"). None if some cut point has no position.
template <stage_constraint Constraint>
[[nodiscard]] std::optional<cut_windows> reachable_cuts(const Constraint& allowed, std::size_t items,
                                                        std::size_t stages) {
  cut_windows where(items, stages);
  if constexpr (promises<Constraint, hereditary>) {
    for (std::size_t s = 0; s + 1 < stages; ++s) {
      // Parts of an allowed stage are allowed: a start further left reaches no further.
      const std::size_t first = where.highest[s];
      where.highest[s + 1] = detail::rightmost_end(first, where.highest[s + 1], first,
                                                   [&](std::size_t last) { return allowed(s, first, last); });
    }
    for (std::size_t s = stages; s-- > 1;) {
      const std::size_t last = where.lowest[s + 1];
      where.lowest[s] =
          detail::gallop(where.lowest[s], last, last - 1, [&](std::size_t first) { return allowed(s, first, last); });
    }
    where.increase();
    for (std::size_t s = 0; s <= stages; ++s) {
      if (where.lowest[s] > where.highest[s]) return std::nullopt;
    }
  }
  return where;
}

/// The cheapest cut into allowed stages for any cost, by dynamic programming over (stage, start): the lexicographically
/// smallest on ties; none if there is none, or the clock ended it. O(k n w) calls of cost and constraint, where w is the
/// number of items of the widest stage to try; memory for one index for each point of the windows.
template <class Price, stage_constraint Constraint>
[[nodiscard]] std::optional<std::vector<std::size_t>> total_program(const Price& price, const Constraint& allowed,
                                                                    std::size_t items, std::size_t stages,
                                                                    chain_clock* clock = nullptr) {
  using total_type = typename Price::total_type;
  const std::optional<cut_windows> where = detail::reachable_cuts(allowed, items, stages);
  if (!where) return std::nullopt;
  std::vector<std::vector<std::size_t>> end(stages + 1);  // 0: none
  end[stages] = {items};
  std::vector<total_type> behind{total_type{}};
  std::vector<total_type> best;
  for (std::size_t s = stages; s-- > 0;) {
    const std::size_t lowest = where->lowest[s];
    const std::size_t nearest = where->lowest[s + 1];
    best.resize(where->highest[s] - lowest + 1);
    end[s].assign(best.size(), 0);
    const double done = static_cast<double>(stages - 1 - s) / static_cast<double>(stages);
    for (std::size_t first = lowest; first <= where->highest[s]; ++first) {
      if (clock != nullptr && clock->over(done)) return std::nullopt;
      std::size_t& chosen = end[s][first - lowest];
      total_type& least = best[first - lowest];
      for (std::size_t last = first < nearest ? nearest : first + 1; last <= where->highest[s + 1]; ++last) {
        if (end[s + 1][last - nearest] == 0) continue;
        const bool may = allowed(s, first, last);
        if (may) {
          const total_type here = as_computed(price(s, first, last) + behind[last - nearest]);
          if (chosen == 0 || here < least) chosen = last, least = here;
        } else if (detail::hopeless(allowed, s, first, last, may)) {
          break;
        }
      }
    }
    behind.swap(best);
  }
  if (end[0][0] == 0) return std::nullopt;
  std::vector<std::size_t> points{0};
  for (std::size_t s = 0; s < stages; ++s) points.push_back(end[s][points.back() - where->lowest[s]]);
  return points;
}

/// The same for any number of stages, each with an additional cost `extra`. The constraint does not depend on the stage,
/// and is called with stage 0. O(n w) calls, O(n) memory.
template <class Price, stage_constraint Constraint>
[[nodiscard]] std::optional<std::vector<std::size_t>> free_program(const Price& price, typename Price::total_type extra,
                                                                   const Constraint& allowed, std::size_t items) {
  using total_type = typename Price::total_type;
  std::vector<std::size_t> end(items + 1);
  std::vector<total_type> best(items + 1);
  end[items] = items;
  for (std::size_t first = items; first-- > 0;) {
    for (std::size_t last = first + 1; last <= items; ++last) {
      if (end[last] == 0) continue;
      const bool may = allowed(std::size_t{0}, first, last);
      if (may) {
        const total_type here = as_computed(as_computed(price(0, first, last) + best[last]) + extra);
        if (end[first] == 0 || here < best[first]) end[first] = last, best[first] = here;
      } else if (detail::hopeless(allowed, 0, first, last, may)) {
        break;
      }
    }
  }
  if (end[0] == 0) return std::nullopt;
  std::vector<std::size_t> points{0};
  while (points.back() != items) points.push_back(end[points.back()]);
  return points;
}

/// The same without a constraint for an inverse Monge cost: first the later half of the starts, then the stages from the
/// earlier half into the later, whose best ends move left, then the earlier half. O(n log² n) calls, O(n) memory.
template <class Price>
class free_inverse {
 public:
  using total_type = typename Price::total_type;

  free_inverse(const Price& price, total_type extra, std::size_t items)
      : price_(price), extra_(extra), end_(items + 1), best_(items + 1) {}

  [[nodiscard]] std::vector<std::size_t> run() {
    const std::size_t items = end_.size() - 1;
    solve(0, items);
    std::vector<std::size_t> points{0};
    while (points.back() != items) points.push_back(end_[points.back()]);
    return points;
  }

 private:
  /// Solves all starts in `[first, last]`; the ends after `last` are done.
  void solve(std::size_t first, std::size_t last) {
    if (first == last) return;
    const std::size_t middle = first + (last - first) / 2;
    solve(middle + 1, last);
    rectangle(first, middle, middle + 1, last);
    solve(first, middle);
  }

  void rectangle(std::size_t first, std::size_t last, std::size_t left, std::size_t right) {
    const std::size_t middle = first + (last - first) / 2;
    std::size_t end = left;
    total_type least = through(middle, left);
    for (std::size_t j = left + 1; j <= right; ++j) {
      const total_type here = through(middle, j);
      if (here < least) least = here, end = j;
    }
    // Ends that are offered later are smaller.
    if (end_[middle] == 0 || !(best_[middle] < least)) best_[middle] = least, end_[middle] = end;
    if (first < middle) rectangle(first, middle - 1, end, right);
    if (middle < last) rectangle(middle + 1, last, left, end);
  }

  [[nodiscard]] total_type through(std::size_t first, std::size_t last) const {
    return as_computed(as_computed(price_(0, first, last) + best_[last]) + extra_);
  }

  const Price& price_;
  total_type extra_;
  std::vector<std::size_t> end_;  // 0: none yet
  std::vector<total_type> best_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
