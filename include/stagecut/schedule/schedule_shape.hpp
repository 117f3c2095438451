// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// For what a schedule is made. What is not said stays at its default.
struct schedule_shape {
  std::size_t ranks = 1;                 ///< p
  std::size_t chunks = 1;                ///< v, stages of every rank
  std::size_t microbatches = 1;          ///< m, of an iteration
  std::size_t group = 0;                 ///< of microbatches, for `interleaved`; 0: as many as ranks
  std::size_t slices = 1;                ///< of every sequence, for `sliced`
  std::vector<std::size_t> in_flight{};  ///< microbatches that every rank lets in, for `in_flight`
};

/// What a schedule may take of a shape beside ranks, chunks and microbatches.
enum class shape_figure : std::uint8_t {
  none,       ///< nothing
  group,      ///< `schedule_shape::group`, if it is said
  slices,     ///< `schedule_shape::slices`, without which nobody knows what it takes
  in_flight,  ///< `schedule_shape::in_flight`, which it needs
  times       ///< what the passes take: no shape says that, `synthesize_schedule` makes it
};

}  // namespace stagecut::inline STAGECUT_ABI
