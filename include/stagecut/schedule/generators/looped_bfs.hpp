// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Looped breadth-first: each stage of a rank runs all microbatches, forward from the first stage, backward from the
/// last.
///
/// @param ranks         p, at least 1
/// @param stages_per_rank v, stages per rank, at least 1; with 1 it is GPipe, last in, first out
/// @param microbatches  m, at least 1; backward from the last one, as in PyTorch's LoopedBFS
/// @throws              argument_error
///
/// Every rank keeps the activations of vm microbatches, each of one stage; in return, sharded parameters are gathered
/// once per stage. For m >= p > 1 equal stages take vm(F + B) + (p - 1)(F + B) + 2c(p - 1) + (v - 1)(max(0, pc - (m -
/// p)F) + max(0, pc - (m - p)B)), F and B of a stage, if every transfer takes c.
///
/// Source: Lamy-Poirier, Breadth-First Pipeline Parallelism, MLSys 2023.
[[nodiscard]] STAGECUT_DECL schedule looped_bfs(std::size_t ranks, std::size_t stages_per_rank,
                                                std::size_t microbatches);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/looped_bfs.ipp>
#endif
