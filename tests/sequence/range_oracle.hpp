// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

// Slow and obvious ways to the cut whose stages differ the least.
namespace oracle {

/// The first of the lexicographically ordered partitions of `[0, n)` into k non-empty allowed stages with the least
/// difference between the costliest and the cheapest stage, and that difference; none if there is none.
template <class Model, class Constraint>
auto range_by_enumeration(const Model& cost, std::size_t stages, const Constraint& allowed) {
  using cost_type = std::remove_cvref_t<decltype(cost(0, 0))>;
  const std::size_t n = cost.size();
  std::optional<std::pair<std::vector<std::size_t>, cost_type>> best;
  std::vector<std::size_t> cuts{0};
  const auto extend = [&](const auto& self, cost_type lowest, cost_type highest) -> void {
    const std::size_t first = cuts.back();
    const std::size_t left = stages - (cuts.size() - 1);
    for (std::size_t last = left == 1 ? n : first + 1; last + left - 1 <= n; ++last) {
      if (!allowed(stages - left, first, last)) continue;
      const cost_type here = cost(first, last);
      const cost_type low = left == stages ? here : std::min(lowest, here);
      const cost_type high = left == stages ? here : std::max(highest, here);
      cuts.push_back(last);
      if (left > 1) {
        self(self, low, high);
      } else if (const auto range = static_cast<cost_type>(high - low); !best || range < best->second) {
        best.emplace(cuts, range);
      }
      cuts.pop_back();
    }
  };
  extend(extend, cost_type{}, cost_type{});
  return best;
}

/// The same by dynamic programs, one for every possible cost of the cheapest stage: first the smallest bottleneck for
/// it, then, with the smallest difference known, the smallest cut points.
template <class Model, class Constraint>
auto range_by_levels(const Model& cost, std::size_t stages, const Constraint& allowed) {
  using cost_type = std::remove_cvref_t<decltype(cost(0, 0))>;
  const std::size_t n = cost.size();
  std::vector<cost_type> levels;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j <= n; ++j) levels.push_back(cost(i, j));
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());

  std::vector<std::vector<std::optional<cost_type>>> best(stages + 1, std::vector<std::optional<cost_type>>(n + 1));
  // The least costliest stage of the items from 0 on, if all cost at least `least`.
  const auto least_beside = [&](cost_type least) {
    for (auto& row : best) std::fill(row.begin(), row.end(), std::nullopt);
    best[stages][n] = cost_type{};
    for (std::size_t s = stages; s-- > 0;) {
      for (std::size_t i = s; i < n && (s > 0 || i == 0); ++i) {
        auto& here = best[s][i];
        for (std::size_t j = i + 1; j <= n; ++j) {
          const cost_type stage = cost(i, j);
          if (here && !(stage < *here)) break;
          if (stage < least || !best[s + 1][j] || !allowed(s, i, j)) continue;
          const cost_type worst = std::max(stage, *best[s + 1][j]);
          if (!here || worst < *here) here = worst;
        }
      }
    }
    return best[0][0];
  };

  std::optional<std::pair<std::vector<std::size_t>, cost_type>> answer;
  const auto bottleneck = least_beside(levels.front());
  if (!bottleneck) return answer;
  std::optional<cost_type> range;
  for (std::size_t v = levels.size(); v-- > 0;) {
    if (range && *range < static_cast<cost_type>(*bottleneck - levels[v])) break;
    if (*bottleneck < levels[v]) continue;
    const auto highest = least_beside(levels[v]);
    if (!highest) continue;
    const auto here = static_cast<cost_type>(*highest - levels[v]);
    if (!range || here < *range) range = here;
  }
  for (std::size_t v = levels.size(); v-- > 0;) {
    if (*bottleneck < levels[v]) continue;
    if (*range < static_cast<cost_type>(*bottleneck - levels[v])) break;
    const auto highest = least_beside(levels[v]);
    if (!highest || *range < static_cast<cost_type>(*highest - levels[v])) continue;
    const auto within = [&](cost_type stage) {
      return !(stage < levels[v]) && !(*range < static_cast<cost_type>(stage - levels[v]));
    };
    std::vector<std::size_t> points{0};
    for (std::size_t s = 0; s < stages; ++s) {
      for (std::size_t j = points.back() + 1; j <= n; ++j) {
        // Rows hold the least costliest stage, so they say which ends can be gone on from within the range.
        if (!best[s + 1][j] || !within(cost(points.back(), j)) || !allowed(s, points.back(), j)) continue;
        if (s + 1 < stages && !within(*best[s + 1][j])) continue;
        points.push_back(j);
        break;
      }
    }
    if (!answer || points < answer->first) answer.emplace(points, *range);
  }
  return answer;
}

}  // namespace oracle
