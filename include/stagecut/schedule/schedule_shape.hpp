// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The parameters of a schedule. Unset fields keep their defaults.
struct schedule_shape {
  std::size_t ranks = 1;                 ///< p
  std::size_t stages_per_rank = 1;       ///< v, stages per rank
  std::size_t microbatches = 1;          ///< m, of an iteration
  std::size_t group = 0;                 ///< group size of microbatches, for `interleaved`; 0: the number of ranks
  std::size_t slices = 1;                ///< slices of every sequence, for `sliced`
  std::vector<std::size_t> in_flight{};  ///< microbatches in flight on each rank, for `in_flight`
};

/// The parameter that a schedule takes in addition to ranks, stages per rank and microbatches.
enum class shape_figure : std::uint8_t {
  none,       ///< nothing
  group,      ///< `schedule_shape::group`, if set
  slices,     ///< `schedule_shape::slices`, which its times depend on
  in_flight,  ///< `schedule_shape::in_flight`, required
  times       ///< times of the passes, not part of a shape: `synthesize_schedule` makes it
};

}  // namespace stagecut::inline STAGECUT_ABI
