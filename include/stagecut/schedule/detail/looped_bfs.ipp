// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/looped_bfs.hpp>

#include <cstddef>

#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL schedule looped_bfs(std::size_t ranks, std::size_t stages_per_rank, std::size_t microbatches) {
  detail::check_shape("looped_bfs", ranks, stages_per_rank, microbatches);
  schedule result = detail::empty_schedule("looped-bfs", loop_placement(ranks, stages_per_rank), ranks, microbatches);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t c = 0; c < stages_per_rank; ++c) {
      for (std::size_t k = 0; k < microbatches; ++k) {
        result.orders[r].push_back({op_kind::forward, c * ranks + r, k});
      }
    }
    for (std::size_t c = stages_per_rank; c-- > 0;) {
      for (std::size_t k = microbatches; k-- > 0;) {
        result.orders[r].push_back({op_kind::backward, c * ranks + r, k});
      }
    }
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
