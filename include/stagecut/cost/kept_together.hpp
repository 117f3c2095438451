// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The constraint that the items of certain intervals share a stage: cuts within them are forbidden. Intervals that share
/// an item are merged.
class kept_together : public forbidden_cuts {
 public:
  /// @param items   number of items n of the chain
  /// @param groups  the intervals, in any order; empty ones are harmless
  /// @throws        argument_error naming the first that is not an interval of the chain
  ///
  /// O(n), plus the number of groups.
  kept_together(std::size_t items, const std::vector<interval>& groups)
      : forbidden_cuts(items, cuts_within(items, groups)) {}

 private:
  static std::vector<std::size_t> cuts_within(std::size_t items, const std::vector<interval>& groups);
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/kept_together.ipp>
#endif
