// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/sapp_interleaved.hpp>

#include <cstddef>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL schedule sapp_interleaved(std::size_t ranks, std::size_t stages_per_rank, std::size_t microbatches,
                                        sapp_memory memory) {
  detail::check_shape("sapp_interleaved", ranks, stages_per_rank, microbatches);
  if (microbatches < ranks) {
    detail::refuse_shape("sapp_interleaved", "microbatches", microbatches,
                         detail::joined({"must be at least the number of ranks, ", ranks}));
  }
  const bool big = memory == sapp_memory::big;
  const std::size_t first = ranks + microbatches % ranks;
  const std::size_t ahead = big && stages_per_rank > 1 ? 2 : 1;
  return detail::grouped_schedule(big ? "sapp-big" : "sapp-less-memory", ranks, stages_per_rank, microbatches, first, ranks,
                                  [&](std::size_t r) { return ahead * (ranks - 1 - r) + (stages_per_rank - 1) * first; });
}

}  // namespace stagecut::inline STAGECUT_ABI
