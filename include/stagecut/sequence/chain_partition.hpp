// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A chain cut into stages, with the objective value and a bound that proves its quality.
template <class Cost>
struct chain_partition {
  stagecut::cuts cuts;  ///< the cuts
  Cost cost;            ///< objective value of these cuts, in the unit of the cost model
  Cost bound;  ///< lower bound for all cuts of this chain into that number of stages; equal to `cost` if proved
               ///< optimal

  /// Equal in every part.
  friend bool operator==(const chain_partition&, const chain_partition&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
