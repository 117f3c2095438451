// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// Options of `tempered`. Unset fields keep their defaults.
struct tempering_options {
  std::size_t chains = 0;  ///< a multiple of 8, above 64 a multiple of 64; 0: 64 on a host, 16384 on a device
  double hottest = 3e-2;   ///< temperature, as a fraction of the makespan of the first cut
  double coldest = 2e-4;   ///< temperature, in the same unit
  std::uint64_t seed = 0;  ///< seed of the random numbers, below 2^63
  std::size_t steps = 5;   ///< moves of each chain between two temperature exchanges, at least 1
};

}  // namespace stagecut::inline STAGECUT_ABI::search
