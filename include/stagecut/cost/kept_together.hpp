// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The constraint that the items of each of some intervals share a stage: the cuts within them are forbidden. Intervals
/// that share an item are one.
class kept_together : public forbidden_cuts {
 public:
  /// @param items   number of items n of the chain
  /// @param groups  the intervals, in any order; one without items does no harm
  /// @throws        argument_error naming the first that is no interval of the chain
  ///
  /// O(n), plus the number of groups.
  kept_together(std::size_t items, const std::vector<interval>& groups)
      : forbidden_cuts(items, cuts_within(items, groups)) {}

 private:
  static std::vector<std::size_t> cuts_within(std::size_t items, const std::vector<interval>& groups) {
    std::vector<std::size_t> reach(items);  // of the groups that begin with an item, the furthest end
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
};

}  // namespace stagecut::inline STAGECUT_ABI
