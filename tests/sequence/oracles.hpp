// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

// Slow and obvious: the definition of the problem, to compare with.
namespace oracle {

/// The first of the lexicographically ordered partitions of `[0, n)` into k non-empty allowed stages whose costliest
/// stage is the cheapest, with that cost; none if there is none.
template <class Model, class Constraint>
auto best_by_enumeration(const Model& cost, std::size_t stages, const Constraint& allowed) {
  using cost_type = std::remove_cvref_t<decltype(cost(0, 0))>;
  const std::size_t n = cost.size();
  std::optional<std::pair<std::vector<std::size_t>, cost_type>> best;
  std::vector<std::size_t> cuts{0};
  const auto extend = [&](const auto& self, const std::optional<cost_type>& costliest) -> void {
    const std::size_t first = cuts.back();
    const std::size_t left = stages - (cuts.size() - 1);
    for (std::size_t last = left == 1 ? n : first + 1; last + left - 1 <= n; ++last) {
      if (!allowed(stages - left, first, last)) continue;
      const cost_type stage = cost(first, last);
      const cost_type worst = !costliest || *costliest < stage ? stage : *costliest;
      cuts.push_back(last);
      if (left > 1) {
        self(self, worst);
      } else if (!best || worst < best->second) {
        best.emplace(cuts, worst);
      }
      cuts.pop_back();
    }
  };
  extend(extend, std::nullopt);
  return best;
}

/// The same of all partitions.
template <class Model>
auto best_by_enumeration(const Model& cost, std::size_t stages) {
  return *best_by_enumeration(cost, stages, [](std::size_t, std::size_t, std::size_t) { return true; });
}

/// The least bottleneck, by the textbook dynamic program: O(k n²) costs.
template <class Model>
auto bottleneck_by_dynamic_program(const Model& cost, std::size_t stages) {
  using cost_type = std::remove_cvref_t<decltype(cost(0, 0))>;
  const std::size_t n = cost.size();
  std::vector<cost_type> best;  // of the items [0, i) in s stages
  for (std::size_t i = 0; i <= n; ++i) best.push_back(cost(0, i));
  for (std::size_t s = 2; s <= stages; ++s) {
    for (std::size_t i = n; i >= s; --i) {
      std::optional<cost_type> least;
      // From the right, until the last stage alone is too costly.
      for (std::size_t j = i - 1; j >= s - 1; --j) {
        const cost_type last = cost(j, i);
        const cost_type larger = last < best[j] ? best[j] : last;
        if (!least || larger < *least) least = larger;
        if (*least < last) break;
      }
      best[i] = *least;
    }
  }
  return best[n];
}

}  // namespace oracle
