// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/kept_together.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<std::size_t> kept_together::cuts_within(std::size_t items,
                                                                  const std::vector<interval>& groups) {
  std::vector<std::size_t> reach(items);  // the largest end of the groups that begin at an item
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [first, last] = groups[g];
    if (first > last || last > items) {
      detail::fail(argument_error("kept_together", detail::joined({"groups[", g, "]"}),
                                  detail::joined({"[", first, ", ", last, ")"}),
                                  detail::joined({"must be an interval of the ", items, " items"})));
    }
    if (first < last && reach[first] < last) reach[first] = last;
  }
  std::vector<std::size_t> cuts;
  std::size_t furthest = 0;
  for (std::size_t cut = 1; cut < items; ++cut) {
    if (furthest < reach[cut - 1]) furthest = reach[cut - 1];
    if (cut < furthest) cuts.push_back(cut);
  }
  return cuts;
}

}  // namespace stagecut::inline STAGECUT_ABI
