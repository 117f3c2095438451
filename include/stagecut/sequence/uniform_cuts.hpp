// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/sequence/chain_partition.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Cuts a chain into stages with equal numbers of items, the first ones one item longer if n is not a multiple of k:
/// DeepSpeed's `uniform`, without its empty stages.
///
/// @param items   number of items n
/// @param stages  number of stages k
/// @return        optimal, with the length of the longest stage as cost and bound; infeasible if k > n
/// @throws        argument_error if k = 0
[[nodiscard]] STAGECUT_DECL outcome<chain_partition<std::size_t>> uniform_cuts(std::size_t items, std::size_t stages);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/sequence/detail/uniform_cuts.ipp>
#endif
