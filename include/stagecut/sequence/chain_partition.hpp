// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A chain cut into stages, with what it costs and a proof of how good that is.
template <class Cost>
struct chain_partition {
  stagecut::cuts cuts;  ///< where
  Cost cost;            ///< the value of the objective for these cuts, in the unit of the cost model
  Cost bound;           ///< no cut of this chain into as many stages costs less; equal to `cost` when proved optimal

  /// Equal in every part.
  friend bool operator==(const chain_partition&, const chain_partition&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
