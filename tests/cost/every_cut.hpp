// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

/// Calls `visit(points)` for all cut points of n items into k stages, none of them empty.
template <class Visit>
void for_every_cut(std::size_t items, std::size_t stages, const Visit& visit) {
  std::vector<std::size_t> points{0};
  const auto extend = [&](const auto& self) -> void {
    const std::size_t left = stages - (points.size() - 1);
    for (std::size_t last = left == 1 ? items : points.back() + 1; last > points.back() && last + left - 1 <= items;
         ++last) {
      points.push_back(last);
      if (left == 1) {
        visit(points);
      } else {
        self(self);
      }
      points.pop_back();
    }
  };
  extend(extend);
}

/// Whether a constraint allows all stages of one of them.
template <class Constraint>
bool any_is_allowed(const Constraint& allowed, std::size_t items, std::size_t stages) {
  bool found = false;
  for_every_cut(items, stages, [&](const std::vector<std::size_t>& points) {
    bool all = true;
    for (std::size_t s = 0; s < stages; ++s) all = all && allowed(s, points[s], points[s + 1]);
    found = found || all;
  });
  return found;
}
