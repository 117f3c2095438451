// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Looped breadth-first: each chunk of a rank runs all microbatches, forward from the first chunk, backward from the
/// last.
///
/// @param ranks         p, at least 1
/// @param chunks        v, the stages of every rank, at least 1; with 1 it is GPipe, last in, first out
/// @param microbatches  m, at least 1; backward the last one first, as PyTorch's LoopedBFS
/// @throws              argument_error
///
/// Every rank keeps the activations of vm microbatches, each of one chunk; in return, sharded parameters are gathered
/// once a chunk. For m >= p > 1 equal stages take vm(F + B) + (p - 1)(F + B) + 2c(p - 1) +
/// (v - 1)(max(0, pc - (m - p)F) + max(0, pc - (m - p)B)), F and B of a chunk, where every transfer takes c.
///
/// Source: Lamy-Poirier, Breadth-First Pipeline Parallelism, MLSys 2023.
[[nodiscard]] inline schedule looped_bfs(std::size_t ranks, std::size_t chunks, std::size_t microbatches) {
  detail::check_shape("looped_bfs", ranks, chunks, microbatches);
  schedule result = detail::empty_schedule("looped-bfs", loop_placement(ranks, chunks), ranks, microbatches);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t c = 0; c < chunks; ++c) {
      for (std::size_t k = 0; k < microbatches; ++k) {
        result.orders[r].push_back({op_kind::forward, c * ranks + r, k});
      }
    }
    for (std::size_t c = chunks; c-- > 0;) {
      for (std::size_t k = microbatches; k-- > 0;) {
        result.orders[r].push_back({op_kind::backward, c * ranks + r, k});
      }
    }
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
