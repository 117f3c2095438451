// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/solution.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A chain cut into stages: `value` is that of the objective for these cuts, in the unit of the cost model.
template <class Cost>
struct chain_partition : solution<Cost> {
  stagecut::cuts cuts;  ///< where

  /// Equal cuts, values and bounds.
  friend bool operator==(const chain_partition& a, const chain_partition& b) {
    return a.cuts == b.cuts && a.value == b.value && a.bound == b.bound;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI
