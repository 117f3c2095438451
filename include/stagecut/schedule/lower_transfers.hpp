// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Adds the ops that send and receive, in an order without deadlock.
///
/// @param all  a schedule; returned unchanged if it has transfers
/// @return     the same ops in the same orders, and for every edge between stages of different ranks a SEND directly
///             after the op whose result it sends (after both, if two run together) and a RECV before the op that needs
///             it; sends of one op are in the order of the edges
/// @throws     invalid_input if `check_schedule` rejects it, or if ranks wait for each other in a cycle, which the
///             error shows: `deadlock: 1F0 on rank 1 waits for 0F0 on rank 0, which stands behind 0B0, which waits …`
///
/// The ranks take turns; each issues its next op if the inputs of that op have been issued. An op of a whole stage,
/// such as UNSHARD, needs nothing and takes a turn like any other. A receive is added to its rank when its send is
/// issued, so every rank receives in the order of the sends. At most O(ops) turns of p ranks; one turn per step of the
/// pipeline if all ops take equally long.
///
/// Source: PyTorch, `_add_send_recv` in `torch/distributed/pipelining/schedules.py`: the same order op for op.
[[nodiscard]] STAGECUT_DECL schedule lower_transfers(const schedule& all);

/// Replaces every I that is directly followed by the W of the same stage, microbatch and slice by one B.
///
/// A whole backward pass computes what both need only once, so it takes less time than the two.
[[nodiscard]] STAGECUT_DECL schedule merge_backward(const schedule& all);

/// Replaces W by B on stage 0 and removes its I, as PyTorch does for any schedule, since no gradient leaves the model's
/// input.
[[nodiscard]] STAGECUT_DECL schedule whole_first_stage(const schedule& all);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/lower_transfers.ipp>
#endif
